// SPDX-License-Identifier: BSD-3-Clause
// drain.hpp - lets left-over threads sleep before a team shrinks.
//
// When left-over threads would spin for long, one more region runs before the team shrinks; its waiting threads yield.
// After that region the left-over threads fall asleep, each as soon as it gets a CPU. Until then the way of waiting
// stays.
#pragma once

#include <cstdint>

namespace drom::safe_point {

/// Returns whether the shrink to `cpus` has to wait for a region that drains the team.
bool must_drain(uint32_t cpus) noexcept;

/// Notes that the region that drains the team, if one was asked for, starts now.
void begin_drain() noexcept;

/// Returns whether no drain is under way. A drain ends here once the left-over threads have had time to fall asleep.
bool is_drained() noexcept;

}  // namespace drom::safe_point
