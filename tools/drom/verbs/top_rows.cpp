// SPDX-License-Identifier: BSD-3-Clause
// top_rows.cpp - from a client and what it did to its line in drom top.
#include "verbs/top_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace drom::command {

TopRow row_of(const drom_client_info& info, const CpuSet& owned) {
    TopRow row;
    row.slot = info.slot;
    row.pid = info.pid;
    row.name = info.name;
    row.job = info.job;
    row.owned = owned;
    return row;
}

TopRow row_of(const ClientView& client, std::span<const ClientSample> samples, uint64_t now_ns) {
    TopRow row = row_of(client.info, client.owned);
    row.request = request_text(client.info, now_ns);
    const auto sample = std::ranges::find_if(
        samples, [&](const ClientSample& one) { return one.slot == row.slot && one.pid == row.pid; });
    if (sample == samples.end()) return row;
    const double owned_s = sample->budget.owned;
    row.cpus = owned_s / sample->seconds();
    if (owned_s <= 0) return row;
    row.busy = sample->cpu_s / owned_s;
    row.waited = sample->waited_s / owned_s;
    if (!sample->sampled) return row;
    row.efficiency = sample->budget.useful / owned_s;
    row.mpi = sample->budget.mpi / owned_s;
    return row;
}

std::string request_text(const drom_client_info& info, uint64_t now_ns) {
    if (info.request_seq == 0) return "-";
    if (info.released_seq >= info.request_seq) return info.confined_seq >= info.request_seq ? "confined" : "released";
    const uint64_t waited_ns = now_ns > info.posted_ns ? now_ns - info.posted_ns : 0;
    return fmt::format("-> {} {}s", info.wanted_cpus, waited_ns / 1'000'000'000);
}

}  // namespace drom::command
