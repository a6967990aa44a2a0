// SPDX-License-Identifier: BSD-3-Clause
// drain.hpp - lets left-over threads sleep before a team shrinks.
//
// Before a team shrinks whose left-over threads would spin for long, one region runs with waiting threads that yield.
// They fall asleep after it, each as soon as it gets a CPU; until then the way of waiting stays.
#pragma once

#include <cstdint>

namespace drom::safe_point {

/// Returns whether the shrink to `cpus` has to wait for a region that drains the team.
bool must_drain(uint32_t cpus) noexcept;

/// Notes that the region that drains the team, if one was asked for, starts now.
void begin_drain() noexcept;

/// Returns whether no drain is under way. One that has settled by now ends here.
bool is_drained() noexcept;

}  // namespace drom::safe_point
