// SPDX-License-Identifier: BSD-3-Clause
// topology.cpp - which CPUs are near one another: one order, and numbers that count from 0 in it.
#include "topology.hpp"

#include <algorithm>
#include <tuple>

namespace drom {

namespace {

auto key_of(const Place& place) { return std::tuple(place.package, place.numa, place.l3, place.core); }

/// Returns the numbers of the CPU that follows one with the raw location `last`, which was numbered `number`.
Place next_number(const Place& number, const Place& last, const Place& raw) {
    const bool package = raw.package != last.package;
    const bool numa = package || raw.numa != last.numa;
    const bool l3 = numa || raw.l3 != last.l3;
    const bool core = l3 || raw.core != last.core;
    const auto up = [](uint16_t from, bool by) { return static_cast<uint16_t>(from + (by ? 1 : 0)); };
    return {up(number.core, core), up(number.l3, l3), up(number.numa, numa), up(number.package, package)};
}

}  // namespace

Topology arrange(const CpuSet& cpus, const Place* places) {
    Topology topology{cpus, {}, {}};
    for (uint32_t cpu = cpus.first(); cpu < kMaxCpus; cpu = cpus.next(cpu + 1))
        topology.order.push_back(static_cast<uint16_t>(cpu));
    std::stable_sort(topology.order.begin(), topology.order.end(),
                     [&](uint16_t a, uint16_t b) { return key_of(places[a]) < key_of(places[b]); });
    if (topology.order.empty()) return topology;
    topology.places.resize(cpus.last() + 1);
    Place number{};
    uint16_t before = topology.order.front();
    for (const uint16_t cpu : topology.order) {
        number = next_number(number, places[before], places[cpu]);
        topology.places[cpu] = number;
        before = cpu;
    }
    return topology;
}

}  // namespace drom
