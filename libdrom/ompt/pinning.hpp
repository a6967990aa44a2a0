// SPDX-License-Identifier: BSD-3-Clause
// pinning.hpp - puts the threads of a team on the CPUs they have now, one on each, at the start of a region.
//
// The primary thread plans before the region starts; each thread of the team carries its part out before it runs the
// region's code. A thread is moved to a CPU of its own and then left free inside the mask ("place"), because a lasting
// pin to one CPU would be inherited by every thread that the program creates later. With OMP_PROC_BIND or DROM_PIN=bind
// it stays bound ("bind"); then the runtime, which binds threads to places of its own as the team changes, is overruled
// at every region.
#pragma once

#include <cstdint>

#include "base/cpuset.hpp"

namespace drom::pinning {

/// Reads DROM_PIN. `mask` is what the process may use at its start, `runtime_binds` whether the runtime binds threads
/// inside it.
void begin(const CpuSet& mask, bool runtime_binds) noexcept;

/// The mask or the team changed: the next region whose team fits has to be placed.
void ask_for_placement() noexcept;

/// True when a region of `team` threads on `mask` must run through the placing thunk.
bool is_due(uint32_t team, const CpuSet& mask) noexcept;

/// Decides where the threads of the starting region go. By the primary thread.
void plan(uint32_t team, const CpuSet& mask) noexcept;

/// The calling thread is number `index` of the team that starts.
void place_thread(uint32_t index) noexcept;

/// New threads inherit the affinity of the thread that creates them: lets the calling thread use all that the process
/// may use.
void widen_this_thread() noexcept;

}  // namespace drom::pinning
