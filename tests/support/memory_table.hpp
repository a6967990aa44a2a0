// SPDX-License-Identifier: BSD-3-Clause
// memory_table.hpp - a ledger in memory of this process only, with clients without processes, for all pure code.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "admin/plan.hpp"
#include "drom/drom.h"
#include "shmem/enrolment.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"
#include "temp_dir.hpp"

namespace drom::test {

/// Returns the bytes of a new table: made once per size.
inline const std::vector<char>& blank_ledger(uint32_t cpus, uint32_t clients) {
    static std::map<std::pair<uint32_t, uint32_t>, std::vector<char>> made;
    std::vector<char>& bytes = made[{cpus, clients}];
    if (!bytes.empty()) return bytes;
    const TempDir directory;
    drom_error error{};
    Ledger ledger;
    if (create_ledger(directory.table().c_str(), {cpus, clients, kModeUser}, &error) != DROM_OK ||
        open_ledger(directory.table().c_str(), true, ledger, &error) != DROM_OK)
        throw std::runtime_error(error.text);
    bytes.assign(ledger.base, ledger.base + ledger.size);
    close_ledger(ledger);
    return bytes;
}

class MemoryTable {
public:
    MemoryTable(uint32_t cpus, uint32_t clients)
        : MemoryTable(blank_ledger(cpus, clients).data(), blank_ledger(cpus, clients).size()) {}
    MemoryTable(const MemoryTable& other) : MemoryTable(other.ledger.base, other.ledger.size) {}
    MemoryTable& operator=(const MemoryTable&) = delete;
    ~MemoryTable() {
        pages.clear();
        free(ledger.base);
    }

    /// Joins a client that lives as long as this process does.
    uint32_t join(uint32_t min_cpus = 1, uint32_t max_cpus = 0, bool rigid = false) {
        const uint32_t slot = claim_slot(ledger);
        if (slot == kNoSlot) throw std::runtime_error("no free slot");
        Slot& s = ledger.slot(slot);
        write_identity(s.client, self());
        s.min_cpus.store(min_cpus);
        s.max_cpus.store(max_cpus);
        move_slot(ledger, slot, state_of(s).generation, phase::kLive, rigid ? slot_flag::kRigid : 0);
        return slot;
    }
    /// Makes the client own `mask`; it knows that and has released everything else.
    void give(uint32_t slot, const CpuSet& mask) {
        for (uint32_t cpu = mask.first(); cpu < ledger.cpus(); cpu = mask.next(cpu + 1)) {
            const Owner word{ledger.owner(cpu).load()};
            ledger.owner(cpu).store(word.with(name_of(ledger, slot), Owner::none(), 0).bits);
        }
        reconcile_all(ledger, pages);
        release(slot);
    }
    /// Releases the client's newest request.
    void release(uint32_t slot) { release(slot, ledger.mailbox(slot).newest.load()); }
    void release(uint32_t slot, uint64_t seq) {
        ledger.mailbox(slot).confined.store(confined_mark(state_of(ledger.slot(slot)).generation, seq));
    }
    /// Lets every client obey until nothing is left to do.
    void finish() {
        for (int round = 0; round < 8; ++round) {
            for (uint32_t slot = 0; slot < ledger.clients(); ++slot) release(slot);
            if (!reconcile_all(ledger, pages)) return;
        }
        throw std::runtime_error("settling does not come to an end");
    }
    /// Ends the client: from here on its name is dead in every word, as after a reaper's first store.
    void die(uint32_t slot) { move_slot(ledger, slot, state_of(ledger.slot(slot)).generation, phase::kLeaving, 0); }

    [[nodiscard]] Owner word(uint32_t cpu) const { return {ledger.owner(cpu).load()}; }
    [[nodiscard]] Owner::Name name(uint32_t slot) const { return name_of(ledger, slot); }
    [[nodiscard]] CpuSet owned(uint32_t slot) const { return owned_cpus(ledger, name(slot)); }
    [[nodiscard]] CpuSet wanted(uint32_t slot) const { return wanted_cpus(ledger, name(slot)); }
    [[nodiscard]] CpuSet posted(uint32_t slot) const {
        Request posted{};
        return read_request(ledger, slot, posted) ? posted.mask : CpuSet::empty();
    }
    [[nodiscard]] bool same_words(const MemoryTable& other) const {
        const Header& h = ledger.header();
        return std::memcmp(ledger.base + h.owners_at, other.ledger.base + h.owners_at, h.locations_at - h.owners_at) ==
               0;
    }

    Ledger ledger;
    Pages pages;

private:
    MemoryTable(const char* bytes, size_t size) {
        ledger.base = static_cast<char*>(std::aligned_alloc(4096, size));
        ledger.size = size;
        ledger.writable = true;
        std::memcpy(ledger.base, bytes, size);
        ledger.shape = shape_of(ledger.header());
        pages.open(&ledger, "/nonexistent");
    }
};

}  // namespace drom::test
