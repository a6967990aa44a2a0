// SPDX-License-Identifier: BSD-3-Clause
// agent_thread.cpp - the agent's two threads: one reads requests and releases CPUs, the other one calls the program.
//
// A release lists threads and processes, which opens files: the agent's thread is the one with descriptors of its own.
// The caller's thread stays, and calls the function of drom_on_change.
#include <pthread.h>
#include <unistd.h>
#include <algorithm>

#include "base/clock.hpp"
#include "base/process_identity.hpp"
#include "client_state.hpp"
#include "own_threads.hpp"
#include "shmem/forks.hpp"
#include "shmem/futex.hpp"

namespace drom::client {

namespace {

// --- requests ------------------------------------------------------------------------------------------------------

/// Notes the present threads, for the first strike of the next release. Does nothing while another thread releases:
/// that one notes them itself.
void look_around() noexcept {
    if (!begin_releasing()) return;
    note_threads(state.known);
    adapt_waiting();
    end_releasing();
}

/// Returns whether only the agent's threads keep the process alive. The C library ends a process with its last thread,
/// which runs the exit handlers, and counts the agent's threads too. So they end once the first thread has ended; other
/// threads release from then on. While the program has a callback, they stay until no other thread is left.
bool keeps_process_alive() noexcept {
    uint64_t threads = 0;
    return first_thread_has_ended(threads) &&
           (threads <= 1 + state.agent_threads.load() || state.on_release.load() == nullptr);
}

/// Returns the word not by way of `hot`: leave() changes that before it wakes sleepers on this word.
const Word& newest_seq() noexcept { return state.ledger.mailbox(state.slot).newest; }

/// Waits for a request after `handled`. Returns false when there is none by the deadline.
bool await_request(uint64_t handled, uint64_t deadline_ns) noexcept {
    const Word& newest = newest_seq();
    state.page->sleeping.store(1);
    // Sequentially consistent with the administrator's look at `sleeping` after publishing: one of the two sees the
    // other.
    if (newest.load() == handled && !state.stop.load())
        futex_wait(futex_half(newest), static_cast<uint32_t>(handled), deadline_ns);
    state.page->sleeping.store(0);
    return newest.load() != handled;
}

/// Waits until no thread of the process is inside a fork that began before this call. Returns false after a request
/// that is not `seq`, at the deadline, or when the process leaves. Takes a fifth of a CPU at most, until each thread
/// that is awake has run for 2 ms. Maps memory for more than 16 such threads.
bool await_forks(uint64_t seq, uint64_t deadline_ns) noexcept {
    const uint32_t pid = self().pid;
    Forks forks;
    Tasks threads(0);
    if (!threads.ok() || !forks.note(pid, threads)) return false;
    for (;;) {
        const uint64_t began = now_ns();
        if (forks.are_over(pid, threads)) return true;
        const uint64_t ended = now_ns();
        if (ended >= deadline_ns || state.stop.load()) return false;
        if (await_request(seq, ended + std::max(kMillisecond, 4 * (ended - began)))) return false;
    }
}

/// Waits for the forks that were under way when the client, alone, was moved by its last release. Moves the child that
/// one of them has brought. Gives up after 2 s: a thread may wait in the kernel for a file server that has gone.
void await_first_fork() noexcept {
    uint64_t seq = state.alone.load();
    const uint64_t deadline = deadline_in_ms(2000);
    if (seq == 0 || !await_forks(seq, deadline)) return;
    while (!confine_late(seq))
        if (await_request(seq, now_ns() + kMillisecond) || now_ns() >= deadline || state.stop.load()) return;
    if (newest_seq().load() == seq) state.alone.compare_exchange_strong(seq, 0);
}

/// Waits for a request that has not been released, or for the time to try one again. Returns false when the process
/// leaves, or when the agent's threads would keep it alive.
bool sleep_until_request(uint64_t handled) noexcept {
    const bool again = handled != 0 && state.given_up.load() >= handled;
    const uint64_t heartbeat = again ? kTryAgain : 1000 * kMillisecond;
    while (!state.stop.load(std::memory_order_acquire)) {
        if (newest_seq().load() != handled || await_request(handled, now_ns() + heartbeat)) return true;
        if (again && !is_given_up(handled)) return true;
        if (keeps_process_alive()) return false;
        look_around();
    }
    return false;
}

constexpr uint64_t kLookAgain = 10 * kMillisecond;

/// Waits while another thread releases, or adoption is disabled. Returns false when neither is so.
bool wait_for_turn() noexcept {
    const uint32_t nudge = state.nudge.load();
    uint32_t busy = 1;
    if (state.disabled.load() > 0)
        futex_wait(&state.nudge, nudge, now_ns() + 100 * kLookAgain);
    else if (state.releasing.compare_exchange_strong(busy, 2) || busy == 2)
        futex_wait(&state.releasing, 2, now_ns() + kLookAgain);
    else
        return false;
    return true;
}

/// Continues unmanaged after the loss of the slot: an administrator took this process for dead, wrongly or because the
/// table was removed.
void detach() noexcept {
    hot.request.store(&kNothing);
    hot.seen.store(0);
    state.joined.store(false);
}

// --- calls of the program's function -------------------------------------------------------------------------------

/// Leaves a release for the program's callback. A release that comes while the callback runs replaces one that waits.
void leave_call(const Request& wanted) noexcept {
    Call& call = state.call;
    pthread_mutex_lock(&call.lock);
    call.wanted = wanted;
    call.waits = true;
    pthread_mutex_unlock(&call.lock);
    call.news.fetch_add(1);
    futex_wake(&call.news);
}

bool take_call(Request& wanted) noexcept {
    Call& call = state.call;
    pthread_mutex_lock(&call.lock);
    const bool waits = call.waits;
    wanted = call.wanted;
    call.waits = false;
    pthread_mutex_unlock(&call.lock);
    return waits;
}

void call_program() noexcept {
    Request wanted{};
    auto* fn = state.on_release.load();
    if (take_call(wanted) && fn != nullptr) fn(wanted);
}

/// Leaves the request to the thread that calls the program. If the agent has only this thread, it calls the program
/// itself, whose code may take its time.
void tell_program(const Request& wanted) noexcept {
    if (state.on_release.load() == nullptr) return;
    leave_call(wanted);
    if (state.agent_threads.load() > 1) return;
    state.agent_ready.store(false);
    call_program();
    state.agent_ready.store(true);
}

void call_until_agent_ends() noexcept {
    while (!state.call.ends.load()) {
        const uint32_t news = state.call.news.load();
        call_program();
        if (!state.call.ends.load()) futex_wait(&state.call.news, news, now_ns() + 1000 * kMillisecond);
    }
}

// --- the threads ---------------------------------------------------------------------------------------------------

/// Lets this thread use all CPUs: the thread that created it may have been bound to one, by OMP_PROC_BIND for instance.
void use_all_cpus() noexcept {
    if (!moves_threads()) return;
    set_allowed([](const Request& allowed) { return set_affinity(0, allowed.mask); });
}

void serve_requests() noexcept {
    uint64_t handled = released().seq;
    look_around();
    await_first_fork();
    while (!keeps_process_alive() && sleep_until_request(handled)) {
        if (!is_current()) return detach();
        Request wanted{};
        // An overtaken administrator writes the half. The faster administrator wakes this thread again.
        if (!newest(wanted)) {
            futex_wait(&state.nudge, state.nudge.load(), now_ns() + kLookAgain);
            continue;
        }
        const bool done = released().seq >= wanted.seq || release_here(wanted);
        if (!done && !is_given_up(wanted.seq) && wait_for_turn()) continue;
        handled = wanted.seq;
        if (!done) continue;
        tell_program(wanted);
        await_first_fork();  // mutant first-fork
    }
}

/// Serves requests until the process leaves, or until the agent's threads would keep it alive.
void serve() noexcept {
    state.agent_ready.store(true);
    // A program that ends at once, as most commands of a script do, needs no more than this.
    constexpr uint64_t kShortProgram = 10 * kMillisecond;
    await_request(released().seq, now_ns() + kShortProgram);
    if (!state.stop.load()) {
        if (state.agent_threads.load() > 1) have_own_descriptors();
        serve_requests();
    }
    state.agent_ready.store(false);
}

void* agent_thread(void*) {
    use_all_cpus();
    serve();
    state.call.ends.store(true);
    state.call.news.fetch_add(1);
    futex_wake(&state.call.news);
    return nullptr;
}

void* callers_thread(void*) {
    use_all_cpus();
    const bool has_agent = has_worker(state.agent);
    if (has_agent) {
        call_until_agent_ends();
        pthread_join(state.agent.worker, nullptr);
    }
    state.agent_threads.store(1);
    if (!has_agent) serve();
    const bool stopped = state.stop.load();
    state.agent_threads.store(0);
    state.agent_runs.store(0);
    futex_wake(&state.agent_runs);
    if (!stopped) let_exit_handlers_run(state.agent);
    return nullptr;
}

bool start_threads() noexcept {
    state.call.ends.store(false);
    state.agent_threads.store(2);
    state.agent_runs.store(1);
    if (create_own_threads(state.agent, callers_thread, agent_thread)) return true;
    state.agent_runs.store(0);
    state.agent_threads.store(0);
    return false;
}

}  // namespace

bool start_agent() noexcept {
    if (!joined() || getpid() != state.pid) return true;
    const uint32_t before = state.page->entry_points.fetch_or(DROM_ENTRY_ASYNC);
    if ((before & DROM_ENTRY_ASYNC) != 0 || start_threads()) return true;
    state.page->entry_points.fetch_and(~uint32_t{DROM_ENTRY_ASYNC});
    return false;
}

}  // namespace drom::client
