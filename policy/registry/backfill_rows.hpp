// SPDX-License-Identifier: BSD-3-Clause
// backfill_rows.hpp - the policies that are backfill, with sharing or without.
#pragma once

#include "policy/molding/sizes.hpp"
#include "policy/prediction/predicting.hpp"
#include "policy/registry/registry.hpp"
#include "policy/urgent/urgent.hpp"

namespace drom::policy {

/// Rules of the policies easy, slurm, sd, sd+, sd-deep, moldable and urgent. Those whose name begins with sd share, and
/// urgent for urgent jobs.
struct BackfillPolicy {
    BackfillRules backfill;
    bool easy_base = false;  ///< sd: reservations as EASY instead of as Slurm
    SlowdownRules sharing;
    MoldRules mold;                              ///< moldable alone
    UrgentBy urgent_by = UrgentBy::kShareFirst;  ///< urgent alone
    PredictionRules prediction;
    PredictionRules::Kind sd_prediction = PredictionRules::Kind::kRequest;  ///< of sharing, where that is all
    bool plan_as_predicted = false;  ///< limits of jobs that share are extended by predictions, where sharing has them
};

/// Makes the rows easy, slurm, sd, sd+, sd-deep, moldable and urgent.
std::vector<PolicyRow> backfill_rows();

/// Says why the options of a row contradict each other; empty: they do not, or it is another policy.
std::string contradiction_in_backfill(const Policy& policy);

/// Says why `reserved` cannot be meant on a machine of so many nodes; empty: it can, or it is another policy.
std::string unfit_bookings(const Policy& policy, int nodes);

/// Returns the limits of mates per partition and QOS; null: the policy has none.
MateLimits* mate_limits(Policy& policy);
const MateLimits* mate_limits(const Policy& policy);

}  // namespace drom::policy
