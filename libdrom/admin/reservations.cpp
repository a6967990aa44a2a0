// SPDX-License-Identifier: BSD-3-Clause
// reservations.cpp - CPUs for a process that has not joined yet, and from one that has ended.
#include "reservations.hpp"

#include <unistd.h>
#include <cerrno>

#include "base/confine.hpp"
#include "base/environment_array.hpp"
#include "base/error.hpp"
#include "carry_out.hpp"
#include "confine_outside.hpp"
#include "shmem/descendants.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/events.hpp"
#include "wait.hpp"

namespace drom {

namespace {

uint64_t slot_flags(const Options& options) noexcept {
    return (options.has(DROM_RIGID) ? slot_flag::kRigid : 0) | (options.has(DROM_TREE) ? slot_flag::kTree : 0);
}

/// Reads from /proc the facts about the process that its slot records.
int describe_process(const Ledger& ledger, uint32_t pid, Enrolment& enrolment, drom_error* error) noexcept {
    const int code = find_process(pid, enrolment.client);
    if (code == ESRCH) return fail(error, DROM_E_NOPROC, "%s: there is no such process", enrolment.verb);
    enrolment.launcher = self();
    enrolment.uid = uid_of(pid);
    if (code != 0 || enrolment.uid == UINT32_MAX || enrolment.launcher.start == 0 || enrolment.launcher.pidns == 0)
        return fail(error, DROM_E_OS, "%s: its entry in /proc cannot be read; try again", enrolment.verb);
    if (ledger.node_mode() || enrolment.uid == geteuid()) return DROM_OK;
    return fail(error, DROM_E_PERM, "%s: the process belongs to uid %u; only a node table serves several users",
                enrolment.verb, enrolment.uid);
}

/// Gives the slot to a process that joined while the slot was being reserved for it, and cannot have the reserved CPUs.
/// It gets the free ones of the CPUs that it may run on, as without a reservation.
void leave_to_itself(Table& table, const User& user, uint32_t pid, const Options& options) noexcept {
    forget_launcher(table.ledger.slot(user.slot));
    CpuSet mask{};
    if (!get_affinity(pid, mask)) return;
    mask = mask & free_cpus(table.ledger);
    Options plain = options;
    plain.flags = 0;
    if (!mask.none()) carry_out(table, user, {Order::kSet, mask}, plain, "drom: reserve", nullptr);
}

/// Reserves a slot for the process, without any CPU.
int reserve_slot(Table& table, uint32_t pid, const Options& options, const char* verb, User& user,
                 drom_error* error) noexcept {
    Enrolment enrolment{.verb = verb};
    if (const int status = describe_process(table.ledger, pid, enrolment, error); status != DROM_OK) return status;
    enrolment.min_cpus = options.min_cpus;
    enrolment.max_cpus = options.max_cpus;
    enrolment.name = options.name;
    enrolment.job = options.job;
    enrolment.flags = slot_flags(options);
    // A user can use up the kernel's number of such pages. A job without a page runs as it is, and is confined from
    // outside.
    enrolment.needs_page = !table.ledger.node_mode();
    return enrol(table.ledger, table.pages, table.path, enrolment, user, nullptr, error);
}

/// Returns whether this process may not release the client without DROM_TAKE: a living client is released by itself
/// and by its launcher only. A process that never joined does not know its CPUs, so its reservation can be called off.
bool is_kept(Table& table, uint32_t slot, uint64_t seen) noexcept {
    const SlotState now = unpack_state(seen);
    if (!now.takes_part()) return false;  // another process releases it at this moment
    const Page* page = table.pages.view(slot);
    const bool follows = now.phase == phase::kLive || page == nullptr || page->joined.load() != 0;
    const ProcessIdentity identity = read_identity(table.ledger.slot(slot).client);
    // A client of another container may live, and has numbers that are used here, too.
    return follows && liveness(identity) != Liveness::kDead && !(identity == self()) &&
           !(read_identity(table.ledger.slot(slot).launcher) == self());
}

/// Leaves the CPUs of a program that has ended to a descendant that still runs on them: step 3 of descendants.hpp.
bool leave_to_descendant(const Table& table, const User& user, drom_error* error) noexcept {
    Slot& slot = table.ledger.slot(user.slot);
    const ProcessIdentity ended = read_identity(slot.client);
    const bool ours = (state_of(slot).flags & slot_flag::kTree) != 0 && read_identity(slot.launcher) == self();
    if (!ours || liveness(ended) != Liveness::kDead) return false;
    ProcessIdentity successor{};
    const uint32_t left = find_left(table.ledger, table.path, user.slot, successor);
    if (left == 0) return false;
    if (!hand_on(table.ledger, user, successor)) return false;
    if (error == nullptr) return true;
    error->status = DROM_PENDING;
    Text text(error->text, sizeof error->text);
    text << ClientText(table.ledger, user.slot).text << " goes on in the background and keeps its CPUs";
    if (left > 1) text << " until the last of " << left << " processes ends";
    return true;
}

int release_slot(Table& table, uint32_t pid, const Options& options, drom_error* error) noexcept {
    const VerbText verb("release", pid);
    const LockedTable locked(table, options);
    const User user = find_listed_user(table.ledger, pid);
    const auto [slot, generation] = user;
    if (slot == kNoSlot) return fail(error, DROM_E_NOPROC, "%s: it is no client (any more)", verb.text);
    if (leave_to_descendant(table, user, error)) return DROM_PENDING;
    for (uint64_t seen = table.ledger.slot(slot).state.load(); unpack_state(seen).generation == generation;
         seen = table.ledger.slot(slot).state.load()) {
        if (!options.has(DROM_TAKE) && is_kept(table, slot, seen))
            return fail(error, DROM_E_BUSY, "%s: the process still runs; its CPUs come back when it ends", verb.text);
        // This fails if the process has joined since `seen` was read. Then the process keeps its slot and its CPUs.
        if (retire(table.ledger, table.pages, table.path, slot, seen, DROM_EVENT_LEAVE)) break;
    }
    return succeed(error);
}

bool prepare(ReservationVariables& variables, char** environment, const Table& table, const CpuSet& mask) noexcept {
    char cpus[kLongestCpus];
    return variables.prepare(environment, table.path, to_text(mask, cpus, sizeof cpus));
}

}  // namespace

int reserve(Table& table, uint32_t pid, const CpuSet& mask, const Options& options, char*** environment,
            drom_error* error) noexcept {
    const VerbText verb("reserve", pid);
    if (const int status = table.writable("reserve", error); status != DROM_OK) return status;
    ReservationVariables variables;
    if (environment != nullptr && !prepare(variables, *environment, table, mask))
        return fail(error, DROM_E_OS, "%s: out of memory", verb.text);
    User user{};
    const Awaiting awaiting(table.pages, options);
    {
        const LockedTable locked(table, options);
        if (const int status = reserve_slot(table, pid, options, verb.text, user, error); status != DROM_OK)
            return status;
        const int status = carry_out(table, user, {Order::kSet, mask}, options, verb.text, error);
        if (status < 0) {
            if (!call_off(table.ledger, table.pages, table.path, user.slot, user.generation))
                leave_to_itself(table, user, pid, options);
            return status;
        }
        record(table.ledger, {.type = DROM_EVENT_JOIN, .slot = user.slot, .value = mask.count(), .pid = pid});
    }
    if (environment != nullptr) variables.put(environment, user.slot, user.generation);
    return finish(table, user, options, verb.text, error);
}

int release(Table& table, uint32_t pid, const Options& options, drom_error* error) noexcept {
    if (const int status = table.writable("release", error); status != DROM_OK) return status;
    const int status = release_slot(table, pid, options, error);
    if (status == DROM_OK && !options.has(DROM_NEVER_CONFINE)) move_agentless(table);
    return status;
}

}  // namespace drom
