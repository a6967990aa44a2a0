// SPDX-License-Identifier: BSD-3-Clause
// repin.hpp - chooses a CPU for each thread of a team whose mask changed. Pure.
#pragma once

#include <cstdint>

#include "base/cpuset.hpp"

namespace drom {

inline constexpr uint16_t kNoCpu = UINT16_MAX;

/// Gives each of `team` threads a CPU of `mask` of its own. `cpu[i]` in: the CPU of thread i (kNoCpu: unknown); out:
/// its new CPU. A thread on a CPU of the mask stays there, the first one if there are several. The others get the CPUs
/// that are left, in ascending order, by ascending thread number. Returns false, with `cpu` untouched, when there are
/// more threads than CPUs, or none. Then no thread is pinned: two threads pinned to one CPU wait for each other while
/// another CPU may be idle.
bool repin(uint16_t* cpu, uint32_t team, const CpuSet& mask) noexcept;

}  // namespace drom
