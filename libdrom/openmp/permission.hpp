// SPDX-License-Identifier: BSD-3-Clause
// permission.hpp - whether the team follows: the rule of follow.hpp with the facts of this process.
#pragma once

#include <cstdint>

#include "follow.hpp"

namespace drom::safe_point {

/// Returns whether the program itself says where it adapts (drom_init, then drom_poll or drom_poll_apply). Then only
/// the way in which its threads wait is decided here.
bool adapts_by_itself() noexcept;

/// Judges the team, whatever opens the region.
follow::Answer judge() noexcept;

/// Judges a region that `caller` opens; `own` is the team's own number of threads.
follow::Answer judge_region(const void* caller, uint32_t own) noexcept;

}  // namespace drom::safe_point
