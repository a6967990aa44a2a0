// SPDX-License-Identifier: BSD-3-Clause
// objective.hpp - the quality of an outcome, counted from the CPUs of each job, without code of partition/choice.cpp.
#pragma once

#include <array>
#include <map>
#include <set>

#include "partition/topology.hpp"

namespace drom::test {

/// The job of each CPU; a free CPU is not in it.
using Jobs = std::map<uint32_t, uint64_t>;

/// Packages, NUMA nodes, L3s.
using Levels = std::array<uint32_t, 3>;

struct DomainCounts {
    Levels strangers{};  ///< jobs in a domain besides its first, summed over the domains of the level
    Levels together{};   ///< domains that a job is in, summed over the jobs of the level
};

inline DomainCounts domain_counts(const Topology& topology, const Jobs& jobs) {
    DomainCounts sum;
    const uint16_t Location::* levels[] = {&Location::package, &Location::numa, &Location::l3};
    for (size_t level = 0; level < 3; ++level) {
        std::map<uint16_t, std::set<uint64_t>> present;
        for (const auto& [cpu, job] : jobs) present[topology.location(cpu).*levels[level]].insert(job);
        for (const auto& [domain, there] : present) {
            sum.strangers[level] += static_cast<uint32_t>(there.size()) - 1;
            sum.together[level] += static_cast<uint32_t>(there.size());
        }
    }
    return sum;
}

/// The quality of an outcome: smaller is better.
struct Objective {
    int64_t waste = 0;
    Levels strangers{};
    std::vector<int64_t> shares;  ///< negative, from the smallest job's to the largest's
    Levels together{};

    friend auto operator<=>(const Objective&, const Objective&) = default;
};

}  // namespace drom::test
