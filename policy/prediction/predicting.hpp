// SPDX-License-Identifier: BSD-3-Clause
// predicting.hpp - any scheduler, planning with predicted run times instead of requested ones.
#pragma once

#include <memory>

#include "policy/backfill/scheduler.hpp"

namespace drom::policy {

struct PredictionRules {
    enum class Kind : std::uint8_t {
        kRequest,  ///< what was asked for
        kLastTwo,  ///< last_two()
        kNearest,  ///< nearest_jobs()
        kUserTwo,  ///< last_two_of_user()
    };
    Kind kind = Kind::kRequest;
    bool sharing_only =
        false;  ///< reservations go by requests; predicted are the ends and slowdowns of jobs that share
    bool extend_as_predicted =
        false;  ///< limits of jobs that share, too; each is extended again when the prediction is outrun
    bool correct_to_limit = false;  ///< a prediction that is outrun becomes the request; else it is doubled
    double safety = 0;  ///< share of the jobs that should end within their prediction, which is lengthened; 0: no care
};

/// Gives `inner` predictions for requests, made when a job is submitted. Limits stay what was requested. A prediction
/// that a job outruns is corrected, and the scheduler is asked again. With kRequest: `inner` itself.
std::unique_ptr<Scheduler> predicting(std::unique_ptr<Scheduler> inner, const PredictionRules& rules);

}  // namespace drom::policy
