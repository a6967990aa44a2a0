// SPDX-License-Identifier: BSD-3-Clause
// reshape.hpp - ReSHAPE as a scheduler: jobs start as under EASY, and a job may change its size at each resize point.
#pragma once

#include <memory>

#include "policy/backfill/scheduler.hpp"
#include "policy/resize/scenarios.hpp"

namespace drom::policy {

struct ReshapeRules {
    const Scenario* scenario = scenario_named("pba");
    ResizeRules resize;
    int step = 10;  ///< of jobs that run on any size
    QueueWeights queue;
    Seconds wait_limit = 0;  ///< waits count as a share of this at least
};

std::unique_ptr<Scheduler> reshape(const ReshapeRules& rules);

}  // namespace drom::policy
