// SPDX-License-Identifier: BSD-3-Clause
// topologies.hpp - the locations of the CPUs of some well-known kinds of nodes, numbered as Linux does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "shmem/layout.hpp"

namespace drom::test {

struct Node {
    std::string name;
    std::vector<Location> locations;
    CpuSet present;

    [[nodiscard]] uint32_t cpus() const { return static_cast<uint32_t>(locations.size()); }
};

struct NodeShape {
    uint32_t packages, numa_per_package, l3_per_numa, cores_per_l3, threads;
    bool interleaved;  ///< neighbours in number are in different packages, as some firmware does
};

inline Node make_node(const std::string& name, const NodeShape& shape) {
    const uint32_t per_package = shape.numa_per_package * shape.l3_per_numa * shape.cores_per_l3;
    const uint32_t cores = shape.packages * per_package;
    Node node{name, std::vector<Location>(size_t{cores} * shape.threads), {}};
    for (uint32_t core = 0; core < cores; ++core) {
        const uint32_t l3 = core / shape.cores_per_l3;
        const uint32_t numa = l3 / shape.l3_per_numa;
        const uint32_t package = numa / shape.numa_per_package;
        const uint32_t inside = core % per_package;
        const uint32_t number = shape.interleaved ? inside * shape.packages + package : core;
        // The kernel numbers first threads of all cores first, then the second threads.
        for (uint32_t thread = 0; thread < shape.threads; ++thread) {
            const uint32_t cpu = thread * cores + number;
            node.locations[cpu] = {static_cast<uint16_t>(inside), static_cast<uint16_t>(l3),
                                   static_cast<uint16_t>(numa), static_cast<uint16_t>(package)};
            node.present.add(cpu);
        }
    }
    return node;
}

/// Removes some CPU numbers (a package with fewer cores, sockets that are not populated).
inline Node with_holes(Node node) {
    node.name += ", holes in the numbering";
    for (uint32_t cpu = 0; cpu < node.cpus(); ++cpu) {
        if (cpu % 7 != 3) continue;
        node.present.remove(cpu);
        node.locations[cpu] = {UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX};
    }
    return node;
}

inline std::vector<Node> nodes() {
    std::vector<Node> all{
        make_node("2 x 24 cores", {2, 1, 1, 24, 1, false}),
        make_node("2 x 24 cores, interleaved", {2, 1, 1, 24, 1, true}),
        make_node("2 x 64 cores, SMT 2, 8 cores an L3, 4 NUMA nodes a package", {2, 4, 2, 8, 2, false}),
        make_node("8 NUMA nodes of 6 cores", {2, 4, 1, 6, 1, false}),
        make_node("1 x 4 cores, SMT 2", {1, 1, 1, 4, 2, false}),
    };
    all.push_back(with_holes(all[0]));
    all.push_back(with_holes(all[2]));
    return all;
}

}  // namespace drom::test
