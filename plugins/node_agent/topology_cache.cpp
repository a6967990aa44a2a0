// SPDX-License-Identifier: GPL-2.0-or-later
// topology_cache.cpp - writes a topology as text, and reads it back; an unexpected text is read anew from hwloc.
#include "topology_cache.hpp"

#include <sstream>
#include <string_view>

#include "common/small_file.hpp"

namespace drom::slurm {
namespace {

constexpr std::string_view kTitle = "drom topology 1 of ";

std::string first_word(const std::string& path) {
    const std::string text = contents(path);
    return text.substr(0, text.find_first_of(" \n"));
}

/// Returns this machine in words. The CPUs that are online change while a machine runs; everything else with a boot.
std::string this_machine() {
    return first_word("/proc/sys/kernel/random/boot_id") + " online " + first_word("/sys/devices/system/cpu/online");
}

}  // namespace

std::string to_text(const Topology& topology, const std::string& of) {
    std::ostringstream out;
    out << kTitle << of << '\n';
    for (const uint16_t cpu : topology.order) {
        const Location& location = topology.location(cpu);
        out << cpu << ' ' << location.core << ' ' << location.l3 << ' ' << location.numa << ' ' << location.package
            << '\n';
    }
    out << "end " << topology.order.size() << '\n';
    return out.str();
}

bool read_topology(const std::string& text, const std::string& of, Topology& topology) {
    std::istringstream in(text);
    std::string line;
    if (!std::getline(in, line) || line != std::string(kTitle) + of) return false;
    std::vector<Location> locations(kMaxCpus);
    CpuSet cpus{};
    while (std::getline(in, line) && !line.starts_with("end ")) {
        std::istringstream fields(line);
        uint32_t cpu = kMaxCpus;
        Location location{};
        fields >> cpu >> location.core >> location.l3 >> location.numa >> location.package;
        if (fields.fail() || cpu >= kMaxCpus) return false;
        cpus.add(cpu);
        locations[cpu] = location;
    }
    if (cpus.none() || line != "end " + std::to_string(cpus.count())) return false;
    topology = arrange(cpus, locations.data());
    return true;
}

tl::expected<Topology, std::string> topology_of_node(const AgentSettings& settings) {
    Topology topology;
    drom_error error{};
    const auto trouble = [&] { return tl::unexpected(std::string(error.text)); };
    if (!settings.topology.empty()) {
        if (read_synthetic(settings.topology.c_str(), topology, &error) != DROM_OK) return trouble();
        return topology;
    }
    const std::string path = settings.table + "/agent.topology";
    const std::string machine = this_machine();
    if (read_topology(contents(path), machine, topology)) return topology;
    if (read_node(topology, &error) != DROM_OK) return trouble();
    // A process that may not write there reads hwloc each time; so does one that finds a file that two wrote at once.
    replace(path, to_text(topology, machine));
    return topology;
}

}  // namespace drom::slurm
