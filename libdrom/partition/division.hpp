// SPDX-License-Identifier: BSD-3-Clause
// division.hpp - how the tasks of one job divide its CPUs: balanced, each on those it is at home on. Pure.
#pragma once

#include <vector>

#include "topology.hpp"

namespace drom::partition {

struct Task {
    CpuSet home;     ///< no two tasks' intersect
    uint32_t ranks;  ///< it stands for: its part of the CPUs, at least 1
    uint32_t least;  ///< CPUs
    uint32_t most;   ///< CPUs; UINT32_MAX: no limit
};

/// A mask for each task, disjoint and all of `pool`. In this order:
///  1. each task has its least, none more than its most: CPUs are left over only when all have their most;
///  2. balanced: each CPU is for the task with the fewest a rank. Tasks of one rank differ by one CPU at most, unless
///  limits want more;
///  3. the most CPUs are with the task whose home they are;
///  4. what a task keeps is near together, and what it gets is near that, or in list order where it keeps nothing.
///  Whole cores where
///     the numbers allow. This is done task by task, not the best over all of them.
/// The masks depend on nothing else, so that who gets back all CPUs has them where they were.
/// Needs: the tasks' least fit into the pool. Cost: the square of the CPUs. Thread-safe.
std::vector<CpuSet> divide(const Topology& topology, const CpuSet& pool, const std::vector<Task>& tasks);

}  // namespace drom::partition
