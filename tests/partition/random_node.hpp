// SPDX-License-Identifier: BSD-3-Clause
// random_node.hpp - generated machines and jobs. 5000 cases per property unless DROM_TEST_CASES says otherwise.
#pragma once

#include <cstdlib>

#include "node.hpp"
#include "property.hpp"

namespace drom::test {

inline const int kCasesSet = setenv("DROM_TEST_CASES", "5000", 0);

inline uint32_t any_of(uint32_t first, uint32_t last) { return *rc::gen::inRange(first, last + 1); }
inline bool once_in(uint32_t times) { return any_of(1, times) == 1; }

/// Returns a machine of at most 8 CPUs, for which all assignments can be tried. On some machines CPUs are missing, so
/// that cores, caches and packages differ in size.
inline Topology small_machine() {
    static const std::vector<Topology> machines{
        synthetic("package:2 core:4 pu:1"),      synthetic("package:2 numa:2 core:2 pu:1"),
        synthetic("package:1 l3:2 core:2 pu:2"), synthetic("package:2 l3:2 core:2 pu:1"),
        synthetic("package:2 core:2 pu:2"),      synthetic("package:1 core:6 pu:1"),
        synthetic("package:4 core:2 pu:1"),      synthetic("package:1 numa:2 l3:2 core:2 pu:1"),
        synthetic("package:1 l3:3 core:2 pu:1"),
    };
    const Topology& machine = machines[any_of(0, static_cast<uint32_t>(machines.size()) - 1)];
    CpuSet present = machine.cpus;
    for (uint32_t missing = once_in(2) ? any_of(0, 3) : 0; missing > 0 && present.count() > 3; --missing)
        present.remove(any_of(0, machine.cpus.count() - 1));
    return arrange(present, machine.locations.data());
}

inline const Topology& captured_machine() {
    static const std::vector<Topology> machines{
        captured("2x24"),           captured("8-numa"),  captured("holes"),     captured("big-little"),
        captured("l3-and-cluster"), captured("numa-vm"), captured("2x64-smt2"),
    };
    // The largest machine is slow, and its results seldom differ.
    const uint32_t last = static_cast<uint32_t>(machines.size()) - 1;
    return machines[once_in(40) ? last : any_of(0, last - 1)];
}

inline CpuSet any_subset(const CpuSet& of, uint32_t one_in) {
    CpuSet subset{};
    uint64_t random = *rc::gen::arbitrary<uint64_t>() | 1;
    for (uint32_t cpu = of.first(); cpu < kMaxCpus; cpu = of.next(cpu + 1)) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        if ((random >> 33) % one_in == 0) subset.add(cpu);
    }
    return subset;
}

/// Returns CPUs that follow one another, or any CPUs of a small machine. On a large machine, any CPUs would mix jobs as
/// no controller does.
inline CpuSet any_grant(const Topology& topology) {
    const uint32_t size = topology.cpus.count();
    if (size <= 8 || once_in(50)) return any_subset(topology.cpus, any_of(1, 4));
    const uint32_t first = any_of(0, size - 1);
    const uint32_t last = any_of(first, size - 1);
    CpuSet set{};
    for (uint32_t at = first; at <= last; ++at) set.add(topology.order[at]);
    return set;
}

inline CpuSet whole_cores(const Topology& topology, const CpuSet& set) {
    std::vector<bool> there(topology.order.size(), false);
    for (const uint16_t cpu : topology.order)
        if (set.has(cpu)) there[topology.location(cpu).core] = true;
    CpuSet cores{};
    for (const uint16_t cpu : topology.order)
        if (there[topology.location(cpu).core]) cores.add(cpu);
    return cores;
}

/// Returns a job whose tasks are all alike; a grant is of whole cores.
inline partition::Arrival any_arrival(uint64_t job, const Topology& topology, uint32_t max_tasks) {
    const uint32_t size = topology.cpus.count();
    partition::Arrival arrival{tasks_of(job, any_of(1, max_tasks)), std::nullopt, 0.5};
    const uint32_t each = size / static_cast<uint32_t>(arrival.tasks.size()) + 1;
    const uint32_t max_cpus = once_in(2) ? 0 : any_of(1, each);
    const uint32_t min_cpus = once_in(3) ? any_of(1, each) : 1;
    const uint32_t ranks = once_in(6) ? 2 : 1;
    for (partition::Client& task : arrival.tasks) {
        task.ranks = ranks;
        task.max_cpus = max_cpus;
        task.min_cpus = max_cpus == 0 ? min_cpus : std::min(min_cpus, max_cpus);
    }
    if (once_in(3)) arrival.granted = whole_cores(topology, any_grant(topology));
    arrival.sharing_factor = *rc::gen::element(0.0, 0.25, 0.5, 0.5, 0.5, 0.75, 1.0);
    return arrival;
}

/// Returns the ids of some tasks: perhaps of several jobs, perhaps all of one.
inline std::vector<uint32_t> any_tasks_of(const partition::Clients& clients) {
    std::vector<uint32_t> ids{clients[any_of(0, static_cast<uint32_t>(clients.size()) - 1)].id};
    for (const partition::Client& client : clients)
        if (client.id != ids.front() && once_in(4)) ids.push_back(client.id);
    return ids;
}

/// Returns a node to which jobs 1, 2, ... have come. Not all of them have stayed; if none has, job 8 is there. Some
/// tasks may be fixed.
inline Node any_node(const Topology& topology, uint32_t max_jobs, uint32_t max_tasks, bool grants = true) {
    Node node(topology);
    for (uint64_t job = 1; job <= max_jobs; ++job) {
        partition::Arrival arrival = any_arrival(job, topology, max_tasks);
        if (!grants) arrival.granted.reset();
        if (node.arrive(arrival) != DROM_OK) continue;
        if (once_in(4)) node.end(any_of(1, static_cast<uint32_t>(job)));
        if (once_in(4) && !node.clients.empty()) node.depart(any_tasks_of(node.clients));
    }
    if (node.clients.empty()) node.arrive(8, 1);
    for (partition::Client& client : node.clients) client.fixed = once_in(12);
    return node;
}

}  // namespace drom::test
