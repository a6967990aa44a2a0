// SPDX-License-Identifier: BSD-3-Clause
// distribution.cpp - divides the CPUs of a job among its tasks.
#include "distribution.hpp"

#include <algorithm>

#include "nearness.hpp"

namespace drom::partition {

namespace {

/// Returns the task that gets the next CPU: the one with the fewest per rank; of those, one at home on more than it
/// has; then the first.
size_t poorest(const std::vector<Task>& tasks, const std::vector<uint32_t>& homes,
               const std::vector<uint32_t>& counts) {
    size_t best = tasks.size();
    for (size_t i = 0; i < tasks.size(); ++i) {
        if (counts[i] >= tasks[i].max_cpus) continue;
        if (best == tasks.size()) {
            best = i;
            continue;
        }
        const uint64_t mine = uint64_t{counts[i]} * tasks[best].ranks;
        const uint64_t its = uint64_t{counts[best]} * tasks[i].ranks;
        if (mine < its || (mine == its && homes[i] > counts[i] && homes[best] <= counts[best])) best = i;
    }
    return best;
}

std::vector<uint32_t> balanced(const std::vector<Task>& tasks, const CpuSet& pool, uint32_t count) {
    std::vector<uint32_t> counts;
    std::vector<uint32_t> homes;
    uint32_t left = std::min(pool.count(), count);
    for (const Task& task : tasks) {
        counts.push_back(task.min_cpus);
        homes.push_back((task.home & pool).count());
        left -= task.min_cpus;
    }
    for (; left > 0; --left) {
        const size_t next = poorest(tasks, homes, counts);
        if (next == tasks.size()) break;
        ++counts[next];
    }
    return counts;
}

CpuSet first_in_order(const Topology& topology, const CpuSet& pool, uint32_t count) {
    CpuSet chosen{};
    for (const uint16_t cpu : topology.order) {
        if (count == 0) break;
        if (!pool.has(cpu)) continue;
        chosen.add(cpu);
        --count;
    }
    return chosen;
}

}  // namespace

std::vector<CpuSet> distribute(const Topology& topology, const CpuSet& pool, const std::vector<Task>& tasks,
                               uint32_t count) {
    const std::vector<uint32_t> counts = balanced(tasks, pool, count);
    const Location* locations = topology.locations.data();
    std::vector<CpuSet> masks;
    CpuSet left = pool;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const CpuSet home = tasks[i].home & pool;
        const uint32_t has = home.count();
        masks.push_back(has > counts[i] ? home - choose_far(home, has - counts[i], locations) : home);
        left = left - masks[i];
    }
    // Tasks that keep some choose first: the others can be at home anywhere.
    for (const bool keeps : {true, false})
        for (size_t i = 0; i < tasks.size(); ++i) {
            const uint32_t has = masks[i].count();
            if (has >= counts[i] || (has > 0) != keeps) continue;
            const uint32_t missing = counts[i] - has;
            const CpuSet more =
                keeps ? choose_near(masks[i], left, missing, locations) : first_in_order(topology, left, missing);
            masks[i] = masks[i] | more;
            left = left - more;
        }
    return masks;
}

}  // namespace drom::partition
