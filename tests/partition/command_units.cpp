// SPDX-License-Identifier: BSD-3-Clause
// command_units.cpp - asks the command's reader for each index of a unit, until there is none.
#include "command_units.hpp"

#include "command_line/topology.hpp"

namespace drom::test {
namespace {

Units units_of(const command::Topology& topology, Unit unit) {
    Units all;
    for (unsigned index = 0;; ++index) {
        const auto cpus = topology.cpus_of(unit, index);
        if (!cpus) return all;
        std::set<unsigned> numbers;
        for (const unsigned cpu : *cpus) numbers.insert(cpu);
        // A NUMA node may have memory and no CPU.
        if (!numbers.empty()) all.insert(numbers);
    }
}

}  // namespace

CommandUnits command_units() {
    const auto topology = command::Topology::load();
    if (!topology) return {{}, {}, {}, topology.error().text};
    return {
        units_of(*topology, Unit::kCore), units_of(*topology, Unit::kNuma), units_of(*topology, Unit::kPackage), {}};
}

}  // namespace drom::test
