// SPDX-License-Identifier: BSD-3-Clause
// efficiency.hpp - the elastic runtime scheduler: at each tick jobs that communicate too much shrink, and those that
// compute only grow (elastic MPI, section 10.3).
#pragma once

#include <memory>

#include "policy/backfill/scheduler.hpp"
#include "policy/resize/ranges.hpp"

namespace drom::policy {

std::unique_ptr<Scheduler> efficiency(const EfficiencyRules& rules);

}  // namespace drom::policy
