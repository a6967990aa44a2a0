// SPDX-License-Identifier: BSD-3-Clause
// pinning.hpp - puts the threads of a team on their present CPUs, one on each, at the start of a region.
//
// The primary thread decides before the region starts; each thread of the team carries its part out before it runs the
// region's code. "place": a thread is moved to a CPU of its own and then left free inside the mask. It is not pinned,
// because every thread that the program creates later would inherit the pin. "bind", by OMP_PROC_BIND or DROM_PIN=bind:
// the thread stays bound. Then the runtime, which binds threads to its own places as the team changes, is overruled at
// every region.
#pragma once

#include <cstdint>

#include "base/cpuset.hpp"

namespace drom::pinning {

/// Reads DROM_PIN. `mask`: the CPUs that the process may use at its start; `runtime_binds`: the runtime binds threads
/// inside it.
void begin(const CpuSet& mask, bool runtime_binds) noexcept;

/// Notes that the mask or the team changed: the next region whose team fits is placed.
void ask_for_placement() noexcept;

/// Returns whether a region of `team` threads on `mask` must run through the placing thunk.
bool is_due(uint32_t team, const CpuSet& mask) noexcept;

/// Decides the CPUs for the threads of the starting region. Called by the primary thread.
void decide_placement(uint32_t team, const CpuSet& mask) noexcept;

/// Moves the calling thread, which is number `index` of the team that starts.
void place_thread(uint32_t index) noexcept;

/// Lets the calling thread use all CPUs of the process: new threads inherit the affinity of the thread that creates
/// them.
void widen_this_thread() noexcept;

}  // namespace drom::pinning
