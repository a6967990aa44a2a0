// SPDX-License-Identifier: BSD-3-Clause
// topology.cpp - which CPUs are near one another: one order, and numbers that count from 0 in it.
#include "topology.hpp"

#include <algorithm>
#include <tuple>

namespace drom {

namespace {

auto key_of(const Location& location) {
    return std::tuple(location.package, location.numa, location.l3, location.core);
}

/// Returns the numbers of the CPU that follows one with the raw location `last`, which was numbered `number`.
Location next_number(const Location& number, const Location& last, const Location& raw) {
    const bool package = raw.package != last.package;
    const bool numa = package || raw.numa != last.numa;
    const bool l3 = numa || raw.l3 != last.l3;
    const bool core = l3 || raw.core != last.core;
    const auto up = [](uint16_t from, bool by) { return static_cast<uint16_t>(from + (by ? 1 : 0)); };
    return {up(number.core, core), up(number.l3, l3), up(number.numa, numa), up(number.package, package)};
}

}  // namespace

Topology arrange(const CpuSet& cpus, const Location* locations) {
    Topology topology{cpus, {}, {}};
    for (uint32_t cpu = cpus.first(); cpu < kMaxCpus; cpu = cpus.next(cpu + 1))
        topology.order.push_back(static_cast<uint16_t>(cpu));
    std::stable_sort(topology.order.begin(), topology.order.end(),
                     [&](uint16_t a, uint16_t b) { return key_of(locations[a]) < key_of(locations[b]); });
    if (topology.order.empty()) return topology;
    topology.locations.resize(cpus.last() + 1);
    Location number{};
    uint16_t before = topology.order.front();
    for (const uint16_t cpu : topology.order) {
        number = next_number(number, locations[before], locations[cpu]);
        topology.locations[cpu] = number;
        before = cpu;
    }
    return topology;
}

}  // namespace drom
