// SPDX-License-Identifier: BSD-3-Clause
// joining.cpp - this process becomes a client, and stops being one.
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/error.hpp"
#include "client_state.hpp"
#include "regions.hpp"
#include "reserved.hpp"
#include "runtime_waiting.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/events.hpp"
#include "shmem/futex.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/regions.hpp"
#include "shmem/slots.hpp"

namespace drom::client {

namespace {

/// Forgets in a child that its parent is a client: the child must never acknowledge, own or lose CPUs of its parent.
/// Null pointers first.
void after_fork_in_child() {
    hot.request.store(&kNothing);
    hot.seen.store(0);
    state.joined.store(false);
    state.page = &private_page;
    state.releasing.store(0);
    state.threads.forget_setters();
    state.agent_ready.store(false);
    state.agent_runs.store(0);
    state.agent_threads.store(0);
    state.call.lock = PTHREAD_MUTEX_INITIALIZER;
    waiting::after_fork_in_child();
    regions::after_fork_in_child();
    move_child_inside();  // mutant child-inside
}

}  // namespace

bool watch_forks() noexcept {
    if (!state.watches_forks)
        state.watches_forks = pthread_atfork(waiting::before_fork, waiting::after_fork, after_fork_in_child) == 0;
    return state.watches_forks;
}

namespace {

// --- joining -------------------------------------------------------------------------------------------------------

int open_table(const char* where, drom_error* error) noexcept {
    if (const int status = table_path(where, state.path, sizeof state.path, error); status != DROM_OK) return status;
    // Root's node table can only be read; only an open table shows whether it is one.
    int status = open_ledger(state.path, false, state.ledger, error);
    if (status == DROM_E_PERM) status = open_ledger(state.path, true, state.ledger, error);
    if (status != DROM_E_NOTABLE) return status;
    status = create_ledger(state.path, {0, 0, kModeUser}, error);
    return status == DROM_OK ? open_ledger(state.path, false, state.ledger, error) : status;
}

/// Returns the slot of the reservation that the environment names; kNoSlot when there is none. `only`: the process that
/// it is for; 0: any process.
uint32_t reserved_slot(uint32_t& only) noexcept {
    const char* text = env::text("DROM_SLOT");
    unsigned slot = 0;
    unsigned generation = 0;
    unsigned pid = 0;
    if (text == nullptr || sscanf(text, "%u:%u:%u", &slot, &generation, &pid) < 2 || slot >= state.ledger.clients())
        return kNoSlot;
    only = pid;
    const SlotState now = state_of(state.ledger.slot(slot));
    return now.generation == generation && is_live(state.ledger, {slot, generation & 0xfff}) ? slot : kNoSlot;
}

/// Takes a reservation over from the process that it was made for (a script started this program). Refuses when another
/// process has taken it, or when it is for that process only, because its launcher will name it by its pid. `page`: the
/// reservation's; null: it cannot be opened.
int take_over(uint32_t index, uint32_t only, const Page* page, drom_error* error) noexcept {
    Slot& slot = state.ledger.slot(index);
    const ProcessIdentity me = self();
    const ProcessIdentity present = read_identity(slot.client);
    const bool mine = is_same(present, me);
    uint32_t pid = present.pid;
    const bool in_use = page != nullptr && page->joined.load() != 0 && liveness(present) != Liveness::kDead;
    const bool refused = !mine && (in_use || !state.ledger.writable || (only != 0 && only != me.pid));
    if (page == nullptr && !refused)
        return fail(error, DROM_E_OS, "drom: join: the page of reservation %u cannot be opened", index);
    if (mine) return DROM_OK;
    if (refused || !replace_client(slot, pid, me))
        return fail(error, DROM_E_BUSY,
                    "drom: join: the reservation %u is used by process %u; this one runs inside its CPUs, unmanaged",
                    index, pid);
    return DROM_OK;
}

/// Marks the reservation as joined, so that it is not called off as unused. Returns false when it has been called off
/// just now.
bool keep_reservation(uint32_t index, uint32_t generation) noexcept {
    if (!state.ledger.writable) return true;  // only its manager changes a reservation of a node
    return sign_takeover(state.ledger, index, generation, phase::kLive);  // mutant takeover
}

/// Returns E_NOPROC when the reservation has been called off meanwhile.
int enter_reservation(uint32_t index, uint32_t only, drom_error* error) noexcept {
    const uint32_t generation = state_of(state.ledger.slot(index)).generation;
    Page* page = open_page(state.ledger, state.path, index, generation);
    int status = take_over(index, only, page, error);
    const bool taken = status == DROM_OK && keep_reservation(index, generation);
    if (!taken && !is_live(state.ledger, {index, generation & 0xfff})) status = DROM_E_NOPROC;
    if (status != DROM_OK) {
        unmap_page(page);
        return status;
    }
    state.slot = index;
    state.generation = generation;
    state.page = page;
    clear_regions(*page);
    return DROM_OK;
}

/// Claims a free CPU. Several processes may try at once, and the first compare-and-swap wins. One that fails may have
/// been overtaken by an administrator that took the CPU from a dead client: it is free still.
bool claim_cpu(uint32_t cpu) noexcept {
    const Ledger& ledger = state.ledger;
    const Owner::Name me = name_of(ledger, state.slot);
    constexpr int kTries = 16;
    for (int tries = 0; tries < kTries; ++tries) {
        const Owner word = load_owner(ledger, cpu);
        if (is_owned(ledger, word)) return false;
        if (word.is(kPermanent)) return false;  // since the look for free ones
        if (change_owner(ledger, cpu, word, given(word, me))) return true;
    }
    return false;
}

/// Claims the free CPUs of `mask`, and returns those.
CpuSet claim_cpus(const CpuSet& mask) noexcept {
    const Ledger& ledger = state.ledger;
    CpuSet claimed{};
    const CpuSet wanted = mask & free_cpus(ledger);
    for (uint32_t cpu = wanted.first(); cpu < ledger.cpus(); cpu = wanted.next(cpu + 1)) {
        if (!claim_cpu(cpu)) continue;
        record(ledger, {.type = DROM_EVENT_CLAIM, .slot = state.slot, .cpu = cpu, .pid = self().pid});
        claimed.add(cpu);
    }
    return claimed;
}

uint32_t claim_and_reconcile(const CpuSet& claim) noexcept {
    const CpuSet claimed = claim_cpus(claim);
    SlotSet me;
    me.add(state.slot);
    reconcile(state.ledger, *state.pages, me);
    return claimed.count();
}

int claim_own_slot(const JoinOptions& options, const CpuSet& claim, drom_error* error) noexcept {
    if (!state.ledger.writable)
        return fail(error, DROM_E_PERM,
                    "drom: join: table %s is the node's; only a resource manager can add this process to it",
                    state.path);
    const Enrolment enrolment{.verb = "drom: join",
                              .client = self(),
                              .launcher = {},
                              .uid = geteuid(),
                              .min_cpus = options.min_cpus,
                              .max_cpus = options.max_cpus,
                              .name = options.name,
                              .job = options.job,
                              .name_end = options.name_end,
                              .phase = phase::kLive,
                              .flags = options.rigid ? slot_flag::kRigid : 0};
    User me{};
    const int status = enrol(state.ledger, *state.pages, state.path, enrolment, me, &state.page, error);
    if (status != DROM_OK) return status;
    state.slot = me.slot;
    state.generation = me.generation;
    const uint32_t count = claim_and_reconcile(claim);
    record(state.ledger, {.type = DROM_EVENT_JOIN, .slot = state.slot, .value = count, .pid = self().pid});
    return DROM_OK;
}

/// Returns whether the launcher of the reservation died before it gave a CPU, so that no other process will. The order
/// matters: the launcher gives CPUs, and may die after that.
bool is_forsaken() noexcept {
    return state.ledger.writable &&
           liveness(read_identity(state.ledger.slot(state.slot).launcher)) == Liveness::kDead &&
           wanted_cpus(state.ledger, name_of(state.ledger, state.slot)).none();
}

/// Leaves this process's own slot for a reservation that was made for it meanwhile; returns kNoSlot when there is none.
uint32_t change_to_reservation(const JoinOptions& options) noexcept {
    if (options.reserved_for == kNoReservation) return kNoSlot;
    const uint32_t reserved = find_other_slot(state.ledger, self().pid, state.slot);
    if (reserved == kNoSlot) return kNoSlot;  // mutant reserved
    retire_user(state.ledger, *state.pages, state.path, state.slot, state.generation, DROM_EVENT_LEAVE);
    unmap_page(state.page);
    state.page = &private_page;
    return reserved;
}

/// Enters with the reservation's CPUs or, where there is none (any more), with the free CPUs of `claim`.
int enter(uint32_t reserved, uint32_t only, const JoinOptions& options, const CpuSet& claim,
          drom_error* error) noexcept {
    constexpr int kTries = 8;  // each fails when a launcher makes a reservation for it, or calls that off, at this
                               // moment
    for (int tries = 0; tries < kTries; ++tries) {
        int status = reserved != kNoSlot ? enter_reservation(reserved, only, error) : int{DROM_E_NOPROC};
        if (status == DROM_OK && is_forsaken()) claim_and_reconcile(claim);  // mutant forsaken
        if (status != DROM_E_NOPROC) return status;
        status = claim_own_slot(options, claim, error);
        if (status != DROM_OK) return status;
        reserved = change_to_reservation(options);
        if (reserved == kNoSlot) return DROM_OK;
    }
    return fail(error, DROM_E_BUSY, "drom: join: its CPUs are being reserved and released all the time; try again");
}

/// Begins to read requests. The process's CPUs at this moment are its affinity.
void start_reading(const JoinOptions& options, const CpuSet& affinity) noexcept {
    state.threads.begin(affinity);
    state.applied = affinity;
    state.alone.store(0);
    state.attempts.clear();
    if (!start_cpus(state.first_mask)) state.first_mask = affinity;
    state.first_cpus = state.first_mask.count();
    state.team.store(Team::Unknown);
    waiting::begin();
    state.pid = getpid();
    regions::note_cpus(affinity.count());
    Page& page = *state.page;
    write_applied(state.ledger, page, 0, affinity);
    page.entry_points.fetch_or(options.entry_points);
    page.disabled.store(static_cast<uint32_t>(std::max(0, state.disabled.load())));
    page.joined.store(1);
    hot.request.store(&state.ledger.mailbox(state.slot).newest);
    state.joined.store(true, std::memory_order_release);
    regions::publish_all();
}

/// Returns the slot that this process takes over; kNoSlot when it gets its own. `only`: as reserved_slot().
uint32_t find_reservation(uint32_t reserved_for, uint32_t& only) noexcept {
    if (reserved_for == kNoReservation) return kNoSlot;
    if (reserved_for != 0) return find_listed_pid(state.ledger, reserved_for);
    uint32_t reserved = reserved_slot(only);
    if (reserved == kNoSlot) reserved = find_pid(state.ledger, self().pid);
    if (reserved == kNoSlot || state.ledger.slot(reserved).client.pid.load() != self().pid) return reserved;
    // A former process with the same pid; its slot is reaped later.
    return liveness(read_identity(state.ledger.slot(reserved).client)) == Liveness::kDead ? kNoSlot : reserved;
}

int join_table(const JoinOptions& options, drom_error* error) noexcept {
    if (const int status = open_table(options.where, error); status != DROM_OK) return status;
    state.pages = new (state.pages_room) Pages;
    if (!state.pages->open(&state.ledger, state.path)) return fail(error, DROM_E_OS, "drom: join: out of memory");
    if (options.mask != nullptr && options.mask->last() >= state.ledger.cpus())
        return fail(error, DROM_E_NOCPU, "drom: join: CPU %u is beyond the %s of table %s", options.mask->last(),
                    CountText(state.ledger.cpus(), "CPU").text, state.path);
    // The caller may know more than the affinity of its thread, which a runtime may have bound to one CPU by now.
    CpuSet affinity{};
    if (options.mask != nullptr)
        affinity = *options.mask;
    else
        get_affinity(0, affinity);
    uint32_t only = 0;
    const uint32_t reserved = find_reservation(options.reserved_for, only);
    const CpuSet& claim = options.claim != nullptr ? *options.claim : affinity;
    const int status = enter(reserved, only, options, claim, error);
    if (status != DROM_OK) return status;
    start_reading(options, affinity);
    Request first{};
    if (newest(first)) release(first);
    state.first_seq = first.seq;
    // Descriptors of the library must not surprise a program that closes or counts its own; the mapping is enough.
    if (state.ledger.directory >= 0) close(state.ledger.directory);
    if (state.ledger.file >= 0) close(state.ledger.file);
    state.ledger.directory = state.ledger.file = -1;
    return DROM_OK;
}

}  // namespace

namespace {

/// Returns true for one caller at a time, and never again unless leave() or a fork allows it.
bool begin_joining() noexcept {
    const pid_t me = getpid();
    if (state.joiner.exchange(me) != me) state.ever.store(false);  // its parent's join
    if (state.ever.exchange(true)) return false;
    const uint64_t deadline = deadline_in_ms(1000);
    while (state.agent_runs.load() != 0 && now_ns() < deadline) {
        // The agent's thread may have missed both: it checked for the end just before leave(), and went to sleep just
        // after leave() woke it.
        futex_wake(futex_half(state.ledger.mailbox(state.slot).newest));  // mutant wake-agent
        futex_wait(&state.agent_runs, 1, deadline_in_ms(5));
    }
    if (state.agent_runs.load() == 0) return true;
    state.ever.store(false);
    return false;
}

/// Frees everything of the last membership, except memory that threads may be using at this moment. A thread that was
/// stopped while it published a region keeps the page: it stays mapped for good.
void forget_last_time() noexcept {
    if (state.pages != nullptr) state.pages->~Pages();
    state.pages = nullptr;
    if (regions::none_publishes()) unmap_page(state.last_page);
    close_ledger(state.last_ledger);
    state.last_ledger = state.ledger;
    state.last_page = state.page == &private_page ? nullptr : state.page;
    state.ledger = Ledger{};
    state.page = &private_page;
    state.stop.store(false);
    state.given_up.store(0);
    state.on_release.store(nullptr);
    state.call.waits = false;
}

int join_or_undo(const JoinOptions& options, drom_error* error) noexcept {
    drom_error own{};
    const int status = join_table(options, &own);
    if (status == DROM_OK) return succeed(error);
    if (error != nullptr) *error = own;
    close_ledger(state.ledger);
    if (state.page != &private_page) unmap_page(state.page);
    state.page = &private_page;
    return status;
}

int join_once(const JoinOptions& options, drom_error* error) noexcept {
    if (env::flag("DROM_DISABLE", false)) return fail(error, DROM_E_NOINIT, "drom: join: DROM_DISABLE is set");
    if (getauxval(AT_SECURE) != 0)
        return fail(error, DROM_E_NOINIT, "drom: join: this program runs with another user's rights; it is left alone");
    if (const ProcessIdentity me = self(); me.start == 0 || me.pidns == 0)
        return fail(error, DROM_E_OS,
                    "drom: join: /proc/self cannot be read, so no process could tell whether this process lives");
    return join_or_undo(options, error);
}

}  // namespace

int join(const JoinOptions& options, drom_error* error) noexcept {
    if (!begin_joining()) return fail(error, DROM_E_BUSY, "drom: join: this process has joined a table before");
    forget_last_time();
    const int status = watch_forks() ? join_once(options, error) : fail(error, DROM_E_OS, "drom: join: out of memory");
    if (status != DROM_OK) {
        state.ever.store(false);
        return status;
    }
    if (options.async) start_agent();
    return status;
}

const char* path() noexcept { return state.path; }
bool moves_threads() noexcept { return !state.ledger.virtual_node(); }

bool joined() noexcept { return state.joined.load(std::memory_order_acquire); }

namespace {

int give_back(drom_error* error) noexcept {
    if (!state.ledger.writable || !is_current()) return succeed(error);
    const ProcessIdentity launcher = read_identity(state.ledger.slot(state.slot).launcher);
    if (launcher.pid != 0 && liveness(launcher) != Liveness::kDead) {
        // The launcher keeps the reservation: a script may start its next program in it.
        change_phase(state.ledger, state.slot, state.generation, phase::kLive, phase::kReserved);
        return succeed(error);
    }
    retire_user(state.ledger, *state.pages, state.path, state.slot, state.generation, DROM_EVENT_LEAVE);
    return succeed(error);
}

}  // namespace

int leave(drom_error* error) noexcept {
    if (getpid() != state.pid || !state.joined.exchange(false))
        return fail(error, DROM_E_NOINIT, "drom: leave: this process is not a client");
    hot.request.store(&kNothing);
    hot.seen.store(0);
    state.stop.store(true);
    futex_wake(futex_half(state.ledger.mailbox(state.slot).newest));
    state.nudge.fetch_add(1);
    futex_wake(&state.nudge);
    regions::stop_publishing();
    state.page->joined.store(0);
    const int status = give_back(error);
    // A runtime that came through an entry point has its own record of the request that it has seen.
    constexpr uint32_t kCalls = DROM_ENTRY_EXPLICIT | DROM_ENTRY_ASYNC;
    if ((state.page->entry_points.load() & ~kCalls) == 0) state.ever.store(false);
    return status;
}

}  // namespace drom::client

namespace {
/// Gives the CPUs back at the program's exit, without waiting for the reaper.
[[gnu::destructor]] void leave_at_exit() {
    if (drom::client::joined()) drom::client::leave(nullptr);
}
}  // namespace
