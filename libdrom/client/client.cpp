// SPDX-License-Identifier: BSD-3-Clause
// client.cpp - this process as a client: read requests, release CPUs, acknowledge. joining.cpp joins and leaves,
// agent_thread.cpp has the threads.
#include "client_state.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "base/error.hpp"
#include "regions.hpp"
#include "reserved.hpp"
#include "runtime_waiting.hpp"
#include "shmem/descendants.hpp"
#include "shmem/events.hpp"
#include "shmem/futex.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"
#include "stack_room.hpp"
#include "thread_mask.hpp"

namespace drom::client {

// Before join, after leave and in forked children the hot path reads this word: no branch, and no memory that may be
// unmapped.
constinit const Word kNothing{0};

alignas(64) constinit Page private_page{};
// No constructor and no destructor: a preloaded /bin/true pays for neither, and the agent's thread may use this until
// the process has ended.
constinit State state{};
static_assert(std::is_trivially_destructible_v<State>);

bool is_current() noexcept {
    const SlotState now = state_of(state.ledger.slot(state.slot));
    return now.takes_part() && now.generation == state.generation;
}

/// Returns whether the request waits for its next try. A try looks at every thread, and safe points come often.
bool is_given_up(uint64_t seq) noexcept {
    return state.given_up.load() >= seq && now_ns() < state.try_again_ns.load(kRelaxed);
}

namespace {

void give_up(uint64_t seq) noexcept {
    state.try_again_ns.store(now_ns() + kTryAgain, kRelaxed);
    state.given_up.store(seq);
}

/// Returns whether threads have to share CPUs that were enough when the program started. A program without a team is
/// about to open one that is made for the CPUs of its start.
bool shares_cpus() noexcept {
    const uint32_t cpus = state.threads.mask().count();
    if (!moves_threads() || cpus >= state.first_cpus) return false;
    if (const Team team = state.team.load(); team != Team::Unknown) return team == Team::SharesCpus;
    const uint32_t threads = state.known.seen - std::min(state.agent_threads.load(), state.known.seen);
    return threads <= 1 || threads > cpus;
}

}  // namespace

/// Needs `releasing`. While threads yield it looks each time for runtimes that were loaded since.
void adapt_waiting() noexcept {
    const bool on = shares_cpus();
    if ((on || state.yielding) && waiting::yield(on)) state.yielding = on;
}

constinit Hot hot{{&kNothing}, {0}};

bool newest(Request& wanted) noexcept {
    if (!joined() || getpid() != state.pid) return false;
    Request posted{};
    if (!read_request(state.ledger, state.slot, posted) || posted.mask.none() || !is_current()) return false;
    wanted = {posted.seq, posted.mask};
    return true;
}

CpuSet cpus_of_node() noexcept {
    return state.ledger.base != nullptr ? drom::cpus_of_node(state.ledger) : CpuSet::empty();
}

bool is_in_client(uint32_t tid) noexcept { return is_in_tree(state.ledger, state.path, state.slot, tid); }

CpuSet first_mask() noexcept { return state.first_mask; }

Request released() noexcept {
    const AffinityGuard reading;  // until it ends no second release fills the half that is read here
    // A mask that was published but could not be applied (a cpuset allows none of it) is not released.
    const uint64_t acknowledged = state.page != nullptr ? state.page->released.load(kRelaxed) : 0;
    return {std::min(reading.seq(), acknowledged), reading.mask()};
}

namespace {

void acknowledge_release(uint64_t seq, bool limited) noexcept {
    Page& page = *state.page;
    page.limited.store(limited ? 1 : 0, kRelaxed);
    write_applied(state.ledger, page, seq, state.applied);
    page.released_ns.store(now_ns(), kRelaxed);
    page.adoptions.store(page.adoptions.load(kRelaxed) + 1, kRelaxed);
    uint64_t old = page.released.load(kRelaxed);
    while (old < seq && !page.released.compare_exchange_weak(old, seq)) {}
    if (state.ledger.mailbox(state.slot).ack_waiters.load() > 0) futex_wake(futex_half(page.released));
    record(state.ledger, {.type = DROM_EVENT_RELEASED, .slot = state.slot, .seq = seq, .pid = self().pid});
}

/// Returns the last release. After its grace period an administrator may have moved the threads since the last one
/// here.
Request last_release() noexcept {
    const Request last{state.page->released.load(kRelaxed), state.applied};
    Request outside;
    return read_outside(state.ledger, state.slot, outside) && outside.seq > last.seq ? outside : last;
}

/// Returns where the threads are. An administrator may have died while moving them.
Origin origin_after(const Request& last, const Request& wanted) noexcept {
    return {last.mask, begun_since(state.ledger, state.slot, state.page, last, wanted.seq),  // mutant begun-since
            &state.ledger.mailbox(state.slot).newest, wanted.seq, &state.attempts};
}

Confined confine_tree(const Origin& origin, const CpuSet& mask, Moves& moves) noexcept {
    return ClientTree(state.ledger, state.path, state.slot, 0, &state.launcher)
        .confine(origin, mask, deadline_in_ms(100), moves);
}

/// Notes whether the agent's thread has to await a first fork. A release that takes no CPU needs that only when the one
/// before it is still awaited.
void note_alone(uint64_t seq, const CpuSet& before, bool alone) noexcept {
    const bool took = !state.applied.contains(before);
    // Within the CPUs that it has now, the program may put a thread on those that it had before.
    state.left = took ? before : state.applied;
    const bool awaits = took || state.alone.load() != 0;
    state.alone.store(alone && awaits ? seq : 0);
}

void confine_all(const Request& wanted) noexcept {
    if (!state.threads.publish(wanted.seq, wanted.mask)) return;
    const Request last = last_release();
    const Origin origin = origin_after(last, wanted);
    state.attempts.add(wanted.mask);
    const bool real = !state.ledger.virtual_node();
    Moves moves(state.ledger, state.slot, *state.page, last.seq, wanted.seq);
    if (real) moves.announce();
    if (real) clear_off(state.known, origin, wanted.mask);  // mutant clear-off
    if (!state.threads.await_setters()) return;             // mutant setters
    Confined done{DROM_OK, {}, 0, 0};
    if (real) done = confine_tree(origin, wanted.mask, moves);
    if (done.status == DROM_E_NOCPU) {
        snprintf(state.page->why, sizeof state.page->why, "its cpuset allows no CPU of request %llu",
                 static_cast<unsigned long long>(wanted.seq));
        return;
    }
    if (done.process != 0 && origin.is_newest())
        snprintf(state.page->why, sizeof state.page->why, "its descendant %u cannot be moved: %s", done.process,
                 drom_status_text(done.status));
    if (done.status != DROM_OK) {
        state.attempts.add(wanted.mask - done.refused);
        return;
    }
    state.applied = wanted.mask - done.refused;
    regions::note_cpus(state.applied.count());
    note_alone(wanted.seq, last.mask, real && done.processes == 1);
    state.attempts.clear();
    state.attempts.add(state.applied);  // where this process has moved threads back for an older request
    acknowledge_release(wanted.seq, !done.refused.none());
    note_threads(state.known);
    state.team.store(Team::Unknown);
    adapt_waiting();
}

/// Carries out the request, and any that is posted meanwhile. An administrator may have moved the threads for that one,
/// and this process some of them back.
void carry_out(Request wanted) noexcept {
    const Word& posted = state.ledger.mailbox(state.slot).newest;
    while (released().seq < wanted.seq) {
        const uint64_t tried = wanted.seq;
        confine_all(wanted);
        if (posted.load() == tried || !newest(wanted) || wanted.seq == tried) return;  // mutant carry-on
    }
}

bool keeps(uint32_t resize) noexcept { return resize == DROM_RESIZE_KEEPS || resize == DROM_RESIZE_HELD; }

void say_resized(uint64_t seq, uint32_t team_size) noexcept {
    Page& page = *state.page;
    if (!joined()) return;
    page.resized_ns.store(now_ns(), kRelaxed);
    page.resized.store(seq);
    if (state.ledger.mailbox(state.slot).ack_waiters.load() > 0) futex_wake(futex_half(page.resized));
    record(state.ledger, {.type = keeps(page.resize.load(kRelaxed)) ? DROM_EVENT_KEPT : DROM_EVENT_RESIZED,
                          .slot = state.slot,
                          .seq = seq,
                          .value = team_size,
                          .pid = self().pid});
}

/// Acknowledges for a team that keeps its size: it follows no further. Where regions are seen the next one looks again,
/// as the program may have changed its mind since.
void acknowledge_kept(uint64_t seq) noexcept {
    constexpr uint32_t kRegions = DROM_ENTRY_KMP | DROM_ENTRY_GOMP;
    const Page& page = *state.page;
    const uint32_t entry_points = page.entry_points.load(kRelaxed);
    if (page.resize.load(kRelaxed) != DROM_RESIZE_KEEPS || (entry_points & DROM_ENTRY_EXPLICIT) != 0) return;
    if ((entry_points & kRegions) == 0) hot.seen.store(seq);
    say_resized(seq, page.team_size.load(kRelaxed));
}

bool is_newest(uint64_t seq) noexcept {
    return !state.stop.load() && state.ledger.mailbox(state.slot).newest.load() == seq;
}

}  // namespace

bool begin_releasing() noexcept {
    uint32_t idle = 0;
    return state.releasing.compare_exchange_strong(idle, 1);
}

void end_releasing() noexcept {
    if (state.releasing.exchange(0) == 2) futex_wake(&state.releasing);
}

bool confine_late(uint64_t seq) noexcept {
    if (!begin_releasing()) return false;
    const Origin origin{state.left, state.left, &state.ledger.mailbox(state.slot).newest, seq, &state.attempts};
    Confined done{DROM_OK, {}, 0, 0};
    if (is_current() && is_newest(seq) && state.alone.load() == seq) {
        Moves moves(state.ledger, state.slot, *state.page, seq, seq);
        done = confine_tree(origin, state.applied, moves);
    }
    adapt_waiting();  // a team that has begun meanwhile left that to this thread
    end_releasing();
    return done.status != DROM_E_TIMEOUT;
}

bool release_here(const Request& wanted) noexcept {
    if (!joined() || getpid() != state.pid || state.disabled.load() > 0) return false;
    if (!begin_releasing()) return false;
    const int saved = errno;
    // A walk over the client's processes takes half of that, and a handler of the program's may come on top. Without it
    // an administrator moves the threads after its grace period.
    const bool room = has_stack_room();
    if (!room)
        snprintf(state.page->why, sizeof state.page->why, "the thread at the safe point has less than 24 KiB of stack");
    if (room) carry_out(wanted);
    const uint64_t seq = released().seq;
    const bool done = seq >= wanted.seq;
    if (done) acknowledge_kept(seq);
    if (!done) give_up(wanted.seq);
    end_releasing();
    state.finished.fetch_add(1);
    if (state.finish_waiters.load() > 0) futex_wake(&state.finished);
    errno = saved;  // a safe point is inside the program's own calls
    return done;
}

namespace {

/// Returns whether the agent's thread has released `wanted` soon enough. The caller sleeps meanwhile, which leaves its
/// CPU to that thread.
bool released_by_agent(const Request& wanted) noexcept {
    const int saved = errno;
    const uint64_t deadline = deadline_in_ms(1);
    state.finish_waiters.fetch_add(1);
    uint32_t count = state.finished.load();
    while (released().seq < wanted.seq && !is_given_up(wanted.seq) && state.agent_ready.load() &&
           state.disabled.load() <= 0 && now_ns() < deadline) {
        futex_wait(&state.finished, count, deadline);
        count = state.finished.load();
    }
    state.finish_waiters.fetch_sub(1);
    errno = saved;
    return released().seq >= wanted.seq;
}

}  // namespace

bool release(const Request& wanted) noexcept {
    if (is_given_up(wanted.seq)) return false;
    // A thread of the program that moves other threads blocks. It has run for long, so it may have to wait for a tick
    // of the kernel before it can continue and acknowledge. The agent's thread comes from sleep, and its slices are
    // short.
    return (state.agent_ready.load() && released_by_agent(wanted)) || release_here(wanted);
}

void acknowledge_resize(uint64_t seq, uint32_t team_size, uint32_t resize, const char* why) noexcept {
    Page& page = *state.page;
    page.team_size.store(team_size, kRelaxed);
    page.resize.store(resize, kRelaxed);
    if (why != page.why) snprintf(page.why, sizeof page.why, "%s", why != nullptr ? why : "");
    hot.seen.store(seq);
    say_resized(seq, team_size);
}

Page& page() noexcept { return state.page != nullptr ? *state.page : private_page; }

void add_entry_points(uint32_t entry_points) noexcept { page().entry_points.fetch_or(entry_points); }

AffinityGuard::AffinityGuard(bool counts) noexcept : counts_(counts) {  // mutant guard
    if (counts_) state.threads.begin_setting();
}
AffinityGuard::~AffinityGuard() {
    if (counts_) state.threads.end_setting();
}
const CpuSet& AffinityGuard::mask() const noexcept { return state.threads.mask(); }
uint64_t AffinityGuard::seq() const noexcept { return state.threads.seq(); }

namespace {
/// Returns the CPUs of a forked child. It is no client, but a descendant of one: it has the CPUs of its parent's newest
/// request. Returns none once the parent's slot has another user.
Request of_parent() noexcept {
    Request posted{};
    const bool known = state.ledger.base != nullptr && read_latest(state.ledger, state.slot, posted) && is_current();
    return known ? posted : Request{0, CpuSet::empty()};
}
}  // namespace

bool is_child_of_client() noexcept { return state.pid != 0 && getpid() != state.pid; }

void move_child_inside() noexcept {
    if (!is_child_of_client() || !moves_threads()) return;
    const int saved = errno;
    set_allowed([](const Request& allowed) {
        CpuSet born;
        if (allowed.mask.none() || !get_affinity(0, born) || allowed.mask.contains(born)) return 0;
        Request outside{0, state.applied};
        read_outside(state.ledger, state.slot, outside);
        return set_affinity(0, follow(born, {state.applied, outside.mask, nullptr, 0, &state.attempts}, allowed.mask));
    });
    errno = saved;
}

Request AffinityGuard::allowed() const noexcept {
    if (is_child_of_client()) return of_parent();
    const uint64_t own = seq();
    const Word* request = hot.request.load(kRelaxed);
    if (request == &kNothing || request->load() == own) return {own, mask()};
    Request posted;
    const bool readable = read_request(state.ledger, state.slot, posted) && posted.seq > own && !posted.mask.none();
    return readable ? posted : Request{own, mask()};
}

void disable() noexcept {
    state.disabled.fetch_add(1);
    page().disabled.fetch_add(1);
}

void enable() noexcept {
    if (state.disabled.load() <= 0) return;
    page().disabled.fetch_sub(1);
    if (state.disabled.fetch_sub(1) != 1) return;
    state.nudge.fetch_add(1);
    futex_wake(&state.nudge);
}

void team_shares_cpus(bool shares) noexcept {
    // Large and small teams may alternate, and changing how waiting threads wait takes as long as a short region.
    constexpr uint32_t kEnough = 32;
    state.fitting = shares ? 0 : std::min(state.fitting + 1, kEnough);
    const Team before = state.team.load(kRelaxed);
    const bool waits = before == Team::SharesCpus && state.fitting < kEnough;
    const Team team = shares || waits ? Team::SharesCpus : Team::Fits;
    if (before == team || !joined() || getpid() != state.pid) return;
    state.team.store(team);
    if (!begin_releasing()) return;  // the thread that holds it adapts, or the agent's thread within a second
    const int saved = errno;
    adapt_waiting();
    errno = saved;
    end_releasing();
}

void on_release(void (*fn)(const Request&)) noexcept { state.on_release.store(fn); }

void let_team_follow() noexcept { state.follows.store(true); }
bool program_follows() noexcept { return state.follows.load(kRelaxed); }

int check_limits(const char* verb, uint32_t min_cpus, uint32_t max_cpus, drom_error* error) noexcept {
    if (min_cpus <= kMaxCpus && max_cpus <= kMaxCpus && (max_cpus == 0 || min_cpus <= max_cpus)) return DROM_OK;
    return fail(error, DROM_E_INVAL, "drom: %s: no number of CPUs up to %u is at least %u and at most %u", verb,
                kMaxCpus, min_cpus, max_cpus);
}

int limits(uint32_t min_cpus, uint32_t max_cpus, drom_error* error) noexcept {
    if (!joined())
        return fail(error, DROM_E_NOINIT, "drom: limits: this process is not a client; call drom_init first");
    Slot& slot = state.ledger.slot(state.slot);
    const uint32_t min = min_cpus != 0 ? min_cpus : slot.min_cpus.load();
    const uint32_t max = max_cpus != 0 ? max_cpus : slot.max_cpus.load();
    if (const int status = check_limits("limits", min, max, error); status != DROM_OK) return status;
    if (!state.ledger.writable)
        return fail(error, DROM_E_PERM, "drom: limits: in a node table the resource manager sets them");
    set_limits(slot, min_cpus, max_cpus);
    return succeed(error);
}

}  // namespace drom::client
