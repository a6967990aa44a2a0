// SPDX-License-Identifier: BSD-3-Clause
// cpu_text.cpp - CPU sets as people type them.
#include "command_line/cpu_text.hpp"

#include "command_line/topology.hpp"

namespace drom::command {

Expected<CpuSet> read_cpus(std::string_view text) {
    std::optional<Topology> topology;
    return CpuSet::parse(text, [&](Unit unit, unsigned index) -> Expected<CpuSet> {
        if (!topology) {
            auto loaded = Topology::load();
            if (!loaded) return tl::make_unexpected(loaded.error());
            topology = *std::move(loaded);
        }
        return topology->cpus_of(unit, index);
    });
}

}  // namespace drom::command
