// SPDX-License-Identifier: BSD-3-Clause
// snapshot.cpp - a table at one moment, as plain values.
#include "table/snapshot.hpp"

#include <unistd.h>

#include <fstream>

#include "program/signal_relay.hpp"

namespace drom::command {

std::string node_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

namespace {
CpuSet online_cpus() {
    std::ifstream file("/sys/devices/system/cpu/online");
    std::string text;
    std::getline(file, text);
    return CpuSet::parse(text).value_or(CpuSet::range(0, CpuSet::kMaxCpus));
}

/// Returns the CPUs of no living client that are not free either: an observer sees the dead's CPUs before an
/// administrator has taken them away.
CpuSet orphans_of(const Snapshot& snapshot) {
    CpuSet rest = snapshot.masks.present - snapshot.masks.free - snapshot.masks.drained;
    for (const auto& client : snapshot.clients) rest = rest - client.owned;
    return rest.empty() ? rest : rest & online_cpus();
}
/// Returns whether drom run has started the process for itself.
bool is_waker(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(file, name);
    return name == kWakerName;
}
}  // namespace

Expected<Snapshot> take_snapshot(const Table& table) {
    auto masks = table.masks();
    if (!masks) return tl::make_unexpected(masks.error());
    auto clients = table.clients();
    if (!clients) return tl::make_unexpected(clients.error());
    auto locations = table.locations();
    if (!locations) return tl::make_unexpected(locations.error());
    Snapshot snapshot{table.path(), node_name(), table.cpus(), *masks, {}, {}, *locations};
    for (const auto& info : *clients) {
        auto cpus = table.masks_of(info.pid);
        if (!cpus && cpus.error().status == DROM_E_NOPROC) continue;
        if (!cpus) return tl::make_unexpected(cpus.error());
        snapshot.clients.push_back({info, cpus->owned, cpus->wanted});
    }
    snapshot.orphaned = orphans_of(snapshot);
    return snapshot;
}

void find_descendants(const Table& table, ClientView& client) {
    client.descendants = table.descendants(client.info.pid).value_or(std::vector<pid_t>{});
    std::erase_if(client.descendants, is_waker);
}

Expected<ClientView> view_of(const Table& table, pid_t pid) {
    // Asking for the mask first lets the library say what is wrong with the pid.
    auto cpus = table.masks_of(pid);
    if (!cpus) return tl::make_unexpected(cpus.error());
    auto clients = table.clients();
    if (!clients) return tl::make_unexpected(clients.error());
    for (const auto& info : *clients)
        if (info.pid == pid) return ClientView{info, cpus->owned, cpus->wanted};
    return failure(DROM_E_NOPROC, "drom: client " + std::to_string(pid) + ": it has just ended");
}

}  // namespace drom::command
