// SPDX-License-Identifier: BSD-3-Clause
// stats_regions.cpp - drom stats --regions: the parts of programs that have names, as the programs count them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "output/format.hpp"
#include "output/messages.hpp"
#include "output/regions_report.hpp"
#include "output/stats_json.hpp"
#include "table/snapshot.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

bool has(const std::vector<drom_region_info>& regions, uint32_t state) {
    return std::ranges::any_of(regions, [&](const drom_region_info& info) { return info.state == state; });
}

/// Reads the regions of a client, again for a while when the client writes them at this moment. A client that has just
/// ended has none.
std::vector<drom_region_info> regions_of(const Table& table, pid_t pid) {
    constexpr int kTries = 20;
    std::vector<drom_region_info> regions;
    for (int tries = 0; tries < kTries; ++tries) {
        regions = table.regions(pid).value_or(std::vector<drom_region_info>());
        if (!has(regions, DROM_REGION_BUSY)) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    sort_regions(regions);
    return regions;
}

/// Says which client publishes no figures that can be read. Returns whether all can.
bool tell_unreadable(const CommandOptions& options, const drom_client_info& info,
                     const std::vector<drom_region_info>& regions) {
    const bool damaged = has(regions, DROM_REGION_DAMAGED);
    if (!damaged && !has(regions, DROM_REGION_BUSY)) return true;
    const char* why = damaged ? "the client's page has figures that cannot be; that program wrote over it"
                              : "they change all the time, or the program was stopped in the middle; try again";
    const std::string text = fmt::format("some regions of {} cannot be read: {}", client_words(info), why);
    complain(sentence(options, DROM_E_BUSY, text).text);
    return false;
}

}  // namespace

int verb_stats_regions(const CommandOptions& options) {
    const auto table = Table::open(options.table, {.read_only = true});
    if (!table) return refused(options, table.error());
    const auto clients = clients_asked_for(options, *table);
    if (!clients) return refused(options, clients.error());
    RegionsReport report{node_name(), {}};
    bool all = true;
    for (const drom_client_info& info : *clients) {
        ClientRegions client{info.name, info.job, info.pid, {}, regions_of(*table, info.pid)};
        if (info.ranks != 0) client.rank = info.rank;
        all &= tell_unreadable(options, info, client.regions);
        report.clients.push_back(std::move(client));
    }
    if (!print(options.json ? regions_json(report) : regions_text(report))) return kRefused;
    return all ? kDone : kRefused;
}

}  // namespace drom::command
