// SPDX-License-Identifier: BSD-3-Clause
// small_node.hpp - a node of 16 CPUs, for tests of who gets which of them.
#pragma once

#include <vector>

#include "verbs/run_cpus.hpp"

namespace drom::test {

inline CpuSet cpus(const char* text) { return *text == '\0' ? CpuSet() : CpuSet::parse(text).value(); }

/// 2 packages of 2 L3s of 2 cores of 2 threads: CPUs 0-15, a core's threads side by side.
inline std::vector<command::Domains> small_node() {
    std::vector<command::Domains> levels;
    for (unsigned size : {2U, 4U, 8U}) {
        command::Domains domains;
        for (unsigned first = 0; first < 16; first += size) domains.push_back(CpuSet::range(first, size));
        levels.push_back(domains);
    }
    return levels;
}

}  // namespace drom::test
