// SPDX-License-Identifier: BSD-3-Clause
// distribution.hpp - divides the CPUs of a job among its tasks: balanced, each on CPUs of its home. Pure.
#pragma once

#include <vector>

#include "topology.hpp"

namespace drom::partition {

struct Task {
    CpuSet home;        ///< disjoint from the homes of other tasks
    uint32_t ranks;     ///< the ranks that it stands for: its part of the CPUs, at least 1
    uint32_t min_cpus;  ///< CPUs
    uint32_t max_cpus;  ///< CPUs; UINT32_MAX: no limit
};

/// Returns a mask for each task, disjoint and together `count` CPUs of `pool`. In this order:
///  1. Each task has its min, none more than its max. CPUs are left over only when all have their max.
///  2. Balance: each CPU is for the task with the fewest per rank. Tasks of one rank differ by one CPU at most, unless
///     limits need more.
///  3. The most CPUs are with the task whose home they are.
///  4. The CPUs that a task keeps are near together. The CPUs that it gets are near those, or in list order where it
///     keeps none. Whole cores where the numbers allow. This is done task by task, and is not the best over all tasks.
/// The masks depend on nothing else, so a task that gets all its CPUs back has the same ones as before. Needs: the
/// tasks' mins fit into `count`. Cost: the square of the CPUs. Thread-safe.
std::vector<CpuSet> distribute(const Topology& topology, const CpuSet& pool, const std::vector<Task>& tasks,
                               uint32_t count = kMaxCpus);

}  // namespace drom::partition
