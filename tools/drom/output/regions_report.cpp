// SPDX-License-Identifier: BSD-3-Clause
// regions_report.cpp - the regions of clients, by name, and how drom stats --regions says them.
#include "output/regions_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "output/format.hpp"
#include "text/visible.hpp"

namespace drom::command {

namespace {

std::string time_text(uint64_t ns) {
    if (ns == UINT64_MAX) return "-";
    const double seconds = static_cast<double>(ns) / 1e9;
    if (seconds < 1) return fmt::format("{:.3f} ms", 1e3 * seconds);
    return seconds < 1e4 ? fmt::format("{:.3f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string use_text(const drom_region_info& info) {
    if (info.cpu_ns == UINT64_MAX || info.available_ns == 0) return "-";
    return fmt::format("{:.1f}%", 100 * static_cast<double>(info.cpu_ns) / static_cast<double>(info.available_ns));
}

std::string line_of(const drom_region_info& info) {
    const std::string name = visible_field(info.name, 20);
    if (info.state != DROM_REGION_FINE) return fmt::format("  {} {:>10}\n", name, region_state_word(info.state));
    return fmt::format("  {} {:>10} {:>4} {:>10} {:>10} {:>10} {:>6}\n", name, info.count, info.open,
                       time_text(info.elapsed_ns), time_text(info.cpu_ns), time_text(info.available_ns),
                       use_text(info));
}

std::string text_of(const ClientRegions& client) {
    std::string out = fmt::format("{} ({}): {}\n", visible(client.client), client.pid,
                                  client.regions.empty() ? "no regions" : counted(client.regions.size(), "region"));
    if (client.regions.empty()) return out;
    out += fmt::format("  {:<20} {:>10} {:>4} {:>10} {:>10} {:>10} {:>6}\n", "REGION", "COUNT", "OPEN", "ELAPSED",
                       "CPU", "AVAILABLE", "USE");
    for (const drom_region_info& info : client.regions) out += line_of(info);
    return out;
}

}  // namespace

void sort_regions(std::vector<drom_region_info>& regions) {
    std::ranges::sort(regions, [](const drom_region_info& a, const drom_region_info& b) {
        return a.elapsed_ns != b.elapsed_ns ? a.elapsed_ns > b.elapsed_ns : std::strcmp(a.name, b.name) < 0;
    });
}

std::string region_state_word(uint32_t state) {
    if (state == DROM_REGION_FINE) return "fine";
    return state == DROM_REGION_BUSY ? "busy" : "damaged";
}

std::string regions_text(const RegionsReport& report) {
    if (report.clients.empty()) return "no clients\n";
    std::string out;
    for (const ClientRegions& client : report.clients) out += (out.empty() ? "" : "\n") + text_of(client);
    return out;
}

}  // namespace drom::command
