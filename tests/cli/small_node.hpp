// SPDX-License-Identifier: BSD-3-Clause
// small_node.hpp - a node of 16 CPUs, for tests of which client gets which of them.
#pragma once

#include <vector>

#include "verbs/run_cpus.hpp"

namespace drom::test {

inline CpuSet cpus(const char* text) { return *text == '\0' ? CpuSet() : CpuSet::parse(text).value(); }

/// Returns 2 packages of 2 L3s of 2 cores of 2 threads: CPUs 0-15, a core's threads side by side.
inline partition::Locations small_node() {
    partition::Locations node;
    for (uint16_t cpu = 0; cpu < 16; ++cpu) {
        const auto in = [cpu](unsigned size) { return static_cast<uint16_t>(cpu / size); };
        node.push_back({in(2), in(4), in(8), in(8)});
    }
    return node;
}

}  // namespace drom::test
