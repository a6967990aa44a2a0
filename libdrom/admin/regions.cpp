// SPDX-License-Identifier: BSD-3-Clause
// regions.cpp - the regions of clients, for people and programs.
#include "regions.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/process_identity.hpp"

namespace drom {

static_assert(sizeof(drom_region_info::name) == kRegionName);

namespace {

/// The process of a client, as its page and the kernel say.
struct Process {
    bool joined;   ///< it is in the table; a reservation outlives it
    uint32_t pid;  ///< whose CPU clock this process can read; 0: none, as it is in another pid namespace
};

Process process_of(const Ledger& ledger, uint32_t slot, const Page& page) noexcept {
    const ProcessIdentity client = read_identity(ledger.slot(slot).client);
    const Liveness now = liveness(client);
    return {page.joined.load() != 0 && now != Liveness::kDead, now == Liveness::kAlive ? client.pid : 0};
}

uint32_t state_of_look(RegionLook look) noexcept {
    if (look == RegionLook::kFine) return DROM_REGION_FINE;
    return look == RegionLook::kBusy ? DROM_REGION_BUSY : DROM_REGION_DAMAGED;
}

}  // namespace

int check_region_size(size_t size, const char* verb, drom_error* error) noexcept {
    if (size >= offsetof(drom_region_info, cpu_ns) && size % alignof(drom_region_info) == 0) return DROM_OK;
    return fail(error, DROM_E_INVAL, "drom: %s: drom_region_info.size is %zu; set it to sizeof(drom_region_info)", verb,
                size);
}

void describe_region(const RegionFigures& figures, uint32_t state, size_t size, void* place) noexcept {
    drom_region_info info{};
    info.size = size;
    info.count = figures.count;
    info.elapsed_ns = figures.elapsed_ns;
    info.cpu_ns = figures.cpu_ns;
    info.available_ns = figures.available_ns;
    info.open = figures.open;
    info.state = state;
    memcpy(info.name, figures.name, sizeof info.name);
    memset(place, 0, size);
    memcpy(place, &info, std::min(size, sizeof info));
}

int list_regions(Table& table, uint32_t pid, drom_region_info* out, size_t* n, drom_error* error) noexcept {
    const VerbText verb("regions", pid);
    const size_t room = out != nullptr ? *n : 0;
    const size_t stride = room > 0 ? out[0].size : sizeof(drom_region_info);
    if (const int status = check_region_size(stride, "regions", error); status != DROM_OK) return status;
    User user{};
    if (const int status = table.find(pid, verb.text, user, error); status != DROM_OK) return status;
    const Page* page = table.pages.view(user.slot);
    const Process process = page != nullptr ? process_of(table.ledger, user.slot, *page) : Process{};
    size_t found = 0;
    for (uint32_t index = 0; process.joined && index < kRegions; ++index) {
        RegionFigures figures{};
        const RegionLook look = look_at_region(*page, index, process.pid, figures);
        if (look == RegionLook::kNone) continue;
        if (found < room)
            describe_region(figures, state_of_look(look), stride, reinterpret_cast<char*>(out) + found * stride);
        ++found;
    }
    *n = found;
    if (found > room)
        return fail(error, DROM_E_FULL, "%s: %s, room for %zu", verb.text, CountText(found, "region").text, room);
    return succeed(error);
}

}  // namespace drom
