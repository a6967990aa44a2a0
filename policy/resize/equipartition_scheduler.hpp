// SPDX-License-Identifier: BSD-3-Clause
// equipartition_scheduler.hpp - equal shares of the nodes for all jobs, each kept for a while.
#pragma once

#include <memory>

#include "policy/backfill/scheduler.hpp"

namespace drom::policy {

struct EquipartitionRules {
    Seconds min_gap = 300;  ///< T_gap: a job keeps its size for so long after a launch or a change; kNever: moldable
    int min = 1;            ///< units of each job, which its own bounds only narrow
    int max = 1;
    Seconds patience = 60;  ///< in which a shrink must be carried out
    bool raise_gap = true;  ///< to ten times the longest shrink so far
};

/// Returns a scheduler that shares the first partition out among the jobs. Jobs that do not say how they can be
/// resized get what they ask for.
std::unique_ptr<Scheduler> equipartition(const EquipartitionRules& rules);

}  // namespace drom::policy
