// SPDX-License-Identifier: BSD-3-Clause
// reserved.cpp - finds the reservation that the environment names, and reads the requests to its client.
#include "reserved.hpp"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>

#include "base/confine.hpp"
#include "base/env.hpp"
#include "shmem/descendants.hpp"
#include "shmem/mailbox.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

namespace drom::client {

namespace {

struct Reservation {
    Ledger ledger;
    uint32_t slot, generation;

    [[nodiscard]] bool is_there() const noexcept {
        return state_of(ledger.slot(slot)).generation == generation && is_live(ledger, {slot, generation & 0xfff});
    }
};

constinit Reservation nothing{};
/// Null until the first look. No lock: a thread may fork while another one looks.
constinit std::atomic<Reservation*> found{nullptr};

bool is_named(unsigned& slot, unsigned& generation) noexcept {
    const char* text = env::text("DROM_SLOT");
    return text != nullptr && sscanf(text, "%u:%u", &slot, &generation) == 2 && getauxval(AT_SECURE) == 0 &&
           !env::flag("DROM_DISABLE", false);
}

bool open(Reservation& reservation) noexcept {
    char path[256];
    Ledger& ledger = reservation.ledger;
    if (table_path(nullptr, path, sizeof path, nullptr) != DROM_OK) return false;
    if (open_ledger(path, true, ledger, nullptr) != DROM_OK) return false;
    // Descriptors of the library must not surprise a program that closes or counts its own.
    if (ledger.directory >= 0) close(ledger.directory);
    if (ledger.file >= 0) close(ledger.file);
    ledger.directory = ledger.file = -1;
    if (reservation.slot < ledger.clients() && !ledger.virtual_node()) return true;
    close_ledger(ledger);
    return false;
}

/// Returns null when the table cannot be opened at this moment. Without malloc: a signal handler may call this.
Reservation* look() noexcept {
    unsigned slot = 0;
    unsigned generation = 0;
    if (!is_named(slot, generation)) return &nothing;
    void* room = mmap(nullptr, sizeof(Reservation), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return nullptr;
    auto* reservation = new (room) Reservation{{}, slot, generation};
    if (open(*reservation)) return reservation;
    munmap(room, sizeof(Reservation));
    return nullptr;
}

const Reservation& reservation() noexcept {
    Reservation* known = found.load(std::memory_order_acquire);
    if (known != nullptr) return *known;
    const int saved = errno;
    Reservation* mine = look();
    errno = saved;
    if (mine == nullptr) return nothing;  // the next call looks again
    if (found.compare_exchange_strong(known, mine)) return *mine;
    if (mine != &nothing) {
        close_ledger(mine->ledger);
        munmap(mine, sizeof(Reservation));
    }
    return *known;
}

}  // namespace

bool read_latest(const Ledger& ledger, uint32_t slot, Request& posted) noexcept {
    return read_request(ledger, slot, posted) || (posted.seq != 0 && get_affinity(0, posted.mask));
}

CpuSet reserved_node() noexcept {
    const Reservation& mine = reservation();
    return mine.ledger.base != nullptr ? drom::cpus_of_node(mine.ledger) : CpuSet::empty();
}

bool is_in_reservation(uint32_t tid) noexcept {
    char path[256];
    const Reservation& mine = reservation();
    return mine.ledger.base != nullptr && mine.is_there() &&
           table_path(nullptr, path, sizeof path, nullptr) == DROM_OK && is_in_tree(mine.ledger, path, mine.slot, tid);
}

bool start_cpus(CpuSet& start) noexcept {
    const char* text = env::text("DROM_START_CPUS");
    CpuSet affinity{};
    if (text == nullptr || parse_cpus(text, start).what != nullptr || !get_affinity(0, affinity)) return false;
    if (affinity == start) return true;
    const Reservation& mine = reservation();
    return mine.ledger.base != nullptr && was_requested(mine.ledger, mine.slot, affinity) && mine.is_there();
}

Request reserved() noexcept {
    const Reservation& mine = reservation();
    Request posted{};
    if (mine.ledger.base == nullptr) return {0, CpuSet::empty()};
    const bool known = read_latest(mine.ledger, mine.slot, posted);
    if (!known || !mine.is_there()) return {0, CpuSet::empty()};
    return posted.mask.none() ? Request{0, CpuSet::empty()} : posted;
}

}  // namespace drom::client
