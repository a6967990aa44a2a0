// SPDX-License-Identifier: BSD-3-Clause
// reservation.cpp - which client of a table has a reservation.
#include "table/reservation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace drom::command {

std::string slot_of(const drom_client_info& info) { return fmt::format("{}:{}", info.slot, info.generation); }

std::string slot_of(const Table::Reservation& reservation) {
    constexpr std::string_view kName = "DROM_SLOT=";
    const auto& entries = reservation.environment;
    const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.starts_with(kName); });
    return found == entries.end() ? std::string() : found->substr(kName.size());
}

const ClientView* client_around(const Snapshot& snapshot) {
    const char* table = std::getenv("DROM_TABLE");
    const char* slot = std::getenv("DROM_SLOT");
    if (table == nullptr || slot == nullptr || snapshot.path != table) return nullptr;
    const auto found = std::ranges::find_if(snapshot.clients, [&](const ClientView& client) {
        // Slurm's plugins write the pid of the task behind it.
        const std::string own = slot_of(client.info);
        return own == slot || std::string_view(slot).starts_with(own + ":");
    });
    return found == snapshot.clients.end() ? nullptr : &*found;
}

}  // namespace drom::command
