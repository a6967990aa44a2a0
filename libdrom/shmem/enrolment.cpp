// SPDX-License-Identifier: BSD-3-Clause
// enrolment.cpp - a process becomes a client of the table, and stops being one.
#include "enrolment.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "descendants.hpp"
#include "elsewhere.hpp"
#include "events.hpp"
#include "reconcile.hpp"

namespace drom {

namespace {

void command_name(uint32_t pid, char* out, size_t size) noexcept {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/comm", pid);
    out[0] = '\0';
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t length = read(fd, out, size - 1);
    close(fd);
    out[length > 0 ? length : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

/// Writes the names that people see into a slot, cut to fit.
void label(Slot& slot, uint32_t pid, const char* name, const char* job, const char* name_end) noexcept {
    char comm[32];
    if (name == nullptr) command_name(pid, comm, sizeof comm);
    char whole[sizeof slot.name];
    const auto room = static_cast<int>(sizeof whole - 1 - strlen(name_end));
    snprintf(whole, sizeof whole, "%.*s%s", room, name != nullptr ? name : comm, name_end);
    copy_text(slot.name, sizeof slot.name, whole);
    copy_text(slot.job, sizeof slot.job, job);
}

/// Fills the slot, as step 2. Only the claimer writes here.
void fill(Slot& slot, const Enrolment& enrolment) noexcept {
    write_identity(slot.client, enrolment.client);
    write_identity(slot.launcher, enrolment.launcher);
    slot.uid.store(enrolment.uid, std::memory_order_relaxed);
    slot.min_cpus.store(std::max(1u, enrolment.min_cpus), std::memory_order_relaxed);
    slot.max_cpus.store(enrolment.max_cpus, std::memory_order_relaxed);
    slot.joined_ns.store(now_ns(), std::memory_order_relaxed);
    label(slot, enrolment.client.pid, enrolment.name, enrolment.job, enrolment.name_end);
}

/// Takes steps 2 and 3.
int fill_and_publish(const Ledger& ledger, const char* path, const Enrolment& enrolment, User user, Page*& page,
                     drom_error* error) noexcept {
    fill(ledger.slot(user.slot), enrolment);
    drom_error own{};
    drom_error* const refusal = error != nullptr ? error : &own;
    page = create_page(ledger, path, user.slot, user.generation, enrolment.uid, refusal);
    if (page == nullptr && enrolment.needs_page) return refusal->status;
    if (move_slot(ledger, user.slot, user.generation, enrolment.phase, enrolment.flags)) return DROM_OK;
    return fail(error, DROM_E_BUSY, "%s: the slot was taken over meanwhile; try again", enrolment.verb);
}

bool is_client(const Ledger& ledger, uint32_t pid) noexcept {
    const uint32_t present = find_pid(ledger, pid);
    return present != kNoSlot && !is_abandoned(ledger.slot(present));
}

}  // namespace

int enrol(const Ledger& ledger, Pages& pages, const char* path, const Enrolment& enrolment, User& user, Page** page,
          drom_error* error) noexcept {
    const bool reserving = enrolment.phase == phase::kReserved;
    if (reserving && is_client(ledger, enrolment.client.pid))
        return fail(error, DROM_E_BUSY, "%s: the process is a client already", enrolment.verb);
    reap(ledger, pages, path);  // dead clients must not be the reason to refuse a new one
    const uint32_t slot = claim_slot(ledger);
    if (slot == kNoSlot)
        return fail(error, DROM_E_FULL, "%s: no slot of table %s is free; it has %s", enrolment.verb, path,
                    CountText(ledger.clients(), "slot").text);
    user = {slot, state_of(ledger.slot(slot)).generation};
    Page* made = nullptr;
    const int status = fill_and_publish(ledger, path, enrolment, user, made, error);
    if (status == DROM_OK && page != nullptr)
        *page = made;
    else
        unmap_page(made);
    if (status != DROM_OK) retire_user(ledger, pages, path, slot, user.generation, DROM_EVENT_LEAVE);
    if (status != DROM_OK || !reserving) return status;
    if (find_other_slot(ledger, enrolment.client.pid, slot) != kNoSlot &&  // mutant other-slot
        call_off(ledger, pages, path, slot, user.generation))
        return fail(error, DROM_E_BUSY, "%s: the process has just joined by itself", enrolment.verb);
    return DROM_OK;
}

bool retire(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint64_t seen,
            uint32_t event) noexcept {
    const SlotState state = unpack_state(seen);
    if (state.phase == phase::kFree) return true;
    if (state.phase != phase::kLeaving) {
        const uint32_t pid = pid_of(ledger, slot);
        const uint64_t leaving = pack_state({phase::kLeaving, 0, state.generation});
        if (!ledger.slot(slot).state.compare_exchange_strong(seen, leaving)) return false;  // mutant retire
        record(ledger, {.type = event, .slot = slot, .pid = pid});
    }
    // From here on the slot's name is dead in every word; reconcile() passes its CPUs on. Only after that may the slot
    // be used again.
    reconcile(ledger, pages, {});                       // mutant pass-on
    remove_page(ledger, path, slot, state.generation);  // mutant page
    move_slot(ledger, slot, state.generation, phase::kFree, 0);
    return true;
}

void retire_user(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint32_t generation,
                 uint32_t event) noexcept {
    for (uint64_t seen = ledger.slot(slot).state.load(); unpack_state(seen).generation == generation;
         seen = ledger.slot(slot).state.load())
        if (retire(ledger, pages, path, slot, seen, event)) return;
}

bool call_off(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint32_t generation) noexcept {
    for (uint64_t seen = ledger.slot(slot).state.load(); unpack_state(seen).generation == generation;
         seen = ledger.slot(slot).state.load()) {
        if (unpack_state(seen).phase == phase::kLive) return false;  // mutant joined
        if (retire(ledger, pages, path, slot, seen, DROM_EVENT_LEAVE)) break;
    }
    return true;
}

uint32_t reap(const Ledger& ledger, Pages& pages, const char* path) noexcept {
    uint32_t reaped = 0;
    Elsewhere others(ledger, path);
    for (uint32_t i = 0; i < ledger.clients(); ++i) {
        const Slot& slot = ledger.slot(i);
        const uint64_t seen = slot.state.load(std::memory_order_acquire);
        const uint64_t now = unpack_state(seen).phase;
        if (now == phase::kFree) continue;
        const bool used = now == phase::kReserved || now == phase::kLive;
        const bool ended = used && is_abandoned(slot) && !pass_on(ledger, path, i);
        if (used && !ended) others.add(i, seen);
        if (!is_half_made(ledger, slot) && !ended && now != phase::kLeaving) continue;  // mutant reap
        if (retire(ledger, pages, path, i, seen, DROM_EVENT_REAP)) ++reaped;
    }
    others.each_ended([&](uint32_t slot, uint64_t seen) {
        if (retire(ledger, pages, path, slot, seen, DROM_EVENT_REAP)) ++reaped;
    });
    ledger.header().reaped_ns.store(now_ns(), std::memory_order_relaxed);
    return reaped;
}

}  // namespace drom
