// SPDX-License-Identifier: BSD-3-Clause
// repin.hpp - which CPU each thread of a team gets after its mask changed. Pure.
#pragma once

#include <cstdint>

#include "base/cpuset.hpp"

namespace drom {

inline constexpr uint16_t kNoCpu = UINT16_MAX;

/// Gives each of `team` threads a CPU of `mask` of its own: `cpu[i]` in: where thread i was (kNoCpu: unknown); out:
/// where it goes. A thread that is on a CPU of the mask stays there, the first one if there are several; the others get
/// the CPUs that are left, in ascending order, by ascending thread number. False, and `cpu` untouched, when there are
/// more threads than CPUs (or none): then nobody is pinned, because two threads that are pinned to one CPU wait for
/// each other while another CPU may idle.
bool repin(uint16_t* cpu, uint32_t team, const CpuSet& mask) noexcept;

}  // namespace drom
