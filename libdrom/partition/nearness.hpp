// SPDX-License-Identifier: BSD-3-Clause
// nearness.hpp - how near CPUs are: the nearest ones to gain, and the farthest ones to give up. Pure.
//
// Near means: same core, then same L3, then same NUMA node, then same package. A set that shrinks gives up the CPUs
// that are far from the rest of it; a set that grows takes near ones. Ties go to whole cores, then to the lower number.
#pragma once

#include "base/cpuset.hpp"
#include "shmem/layout.hpp"

namespace drom::partition {

/// Returns 0 for the same core ... 4 for another package. Unknown levels (UINT16_MAX) are equal to themselves.
uint32_t distance(const Location& a, const Location& b) noexcept;

/// Returns the `count` CPUs of `candidates` that suit `base` (which may be empty) best; fewer when there are fewer.
/// `locations` has an entry for every CPU in either set. O((base + count) * candidates).
CpuSet choose_near(const CpuSet& base, const CpuSet& candidates, uint32_t count, const Location* locations) noexcept;

/// Returns `count` CPUs of `mine` to give up.
CpuSet choose_far(const CpuSet& mine, uint32_t count, const Location* locations) noexcept;

}  // namespace drom::partition
