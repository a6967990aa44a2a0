// SPDX-License-Identifier: BSD-3-Clause
// agent_thread.cpp - the agent's two threads: one reads requests and releases CPUs, the other one calls the program.
//
// A release lists threads and processes, which opens files. POSIX gives a file the lowest number that is free, and
// programs rely on it (close(0), then open()). So the agent's thread has descriptors of its own, and shares everything
// else. A thread without the program's descriptors must run none of the program's code: neither the callback of
// drom_on_change nor the exit handlers, which the C library runs in the last thread that it knows. The caller's thread
// exists for these two, and outlives the agent's thread.
#include <dlfcn.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <climits>
#include <csignal>

#include "base/clock.hpp"
#include "base/process_identity.hpp"
#include "base/run_at_once.hpp"
#include "client_state.hpp"
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

/// Makes a descriptor table without the program's files, so that no pipe or socket is held open. Where the kernel
/// refuses (before 5.9, or a filter), the program's table is used.
void have_own_descriptors() noexcept { syscall(SYS_close_range, 0U, UINT_MAX, unsigned{CLOSE_RANGE_UNSHARE}); }

/// Returns the bytes that the C library puts on every stack first, large thread-local data of the program's libraries
/// included.
size_t room_of_thread(const pthread_attr_t& attributes) noexcept {
    auto* min_stack =
        reinterpret_cast<size_t (*)(const pthread_attr_t*)>(dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    constexpr size_t kMinStack = 16 * 1024;
    return min_stack != nullptr ? min_stack(&attributes) : kMinStack;
}

using Run = void* (*)(void*);

void* begin_and_run(void* run) {
    state.threads_begun.fetch_add(1);
    futex_wake(&state.threads_begun);
    return reinterpret_cast<Run>(run)(nullptr);
}

/// Waits until `threads` threads have begun since the counter was `before`. The C library makes system calls as a
/// thread begins. It ends the process if a filter refuses them, which the program may have installed by then. Takes
/// some 50 us. Gives up after 2 s: the thread may be stopped by a debugger, or have been killed.
void await_begin(uint32_t before, uint32_t threads) noexcept {
    const uint64_t deadline = deadline_in_ms(2000);
    for (;;) {
        const uint32_t begun = state.threads_begun.load();
        if (begun - before >= threads || now_ns() >= deadline) return;
        futex_wait(&state.threads_begun, begun, deadline);
    }
}

bool create(pthread_t& thread, int detached, Run run) noexcept {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    constexpr size_t kStack = 128 * 1024;
    pthread_attr_setstacksize(&attributes, kStack + room_of_thread(attributes));
    pthread_attr_setdetachstate(&attributes, detached);
    const int code = pthread_create(&thread, &attributes, begin_and_run, reinterpret_cast<void*>(run));
    pthread_attr_destroy(&attributes);
    return code == 0;
}

/// Creates a thread that gets none of the program's signals.
bool create_without_signals(pthread_t& thread, int detached, Run run) noexcept {
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const bool created = create(thread, detached, run);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return created;
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

void begin_thread() noexcept {
    prctl(PR_SET_NAME, "drom");
    ask_for_short_slices();
    use_all_cpus();
}

void* agent_thread(void*) {
    begin_thread();
    serve();
    state.call.ends.store(true);
    state.call.news.fetch_add(1);
    futex_wake(&state.call.news);
    return nullptr;
}

/// Waits until it is known whether there is an agent's thread.
bool has_agent_thread() noexcept {
    while (state.agent_created.load() == kNotKnown)
        futex_wait(&state.agent_created, kNotKnown, now_ns() + 1000 * kMillisecond);
    return state.agent_created.load() == kCreated;
}

void* callers_thread(void*) {
    begin_thread();
    if (has_agent_thread()) {
        call_until_agent_ends();
        pthread_join(state.agent, nullptr);
        state.agent_threads.store(1);
    } else {
        serve();
    }
    const bool stopped = state.stop.load();
    state.agent_threads.store(0);
    state.agent_runs.store(0);
    futex_wake(&state.agent_runs);
    // The program's exit handlers run here if all its threads have ended. Otherwise this thread keeps its signals
    // blocked until the end.
    uint64_t threads = 0;
    if (!stopped && first_thread_has_ended(threads) && threads <= 2)
        pthread_sigmask(SIG_SETMASK, &state.signals, nullptr);
    return nullptr;
}

/// Creates both threads here. A thread that is created by one of drom's own allocates in that: the C library then
/// reserves 64 MiB of address space for an arena, which a program under ulimit -v may need.
bool start_threads() noexcept {
    pthread_sigmask(SIG_SETMASK, nullptr, &state.signals);
    state.call.ends.store(false);
    state.agent_created.store(kNotKnown);
    state.agent_threads.store(2);
    state.agent_runs.store(1);
    const uint32_t before = state.threads_begun.load();
    pthread_t callers{};
    if (!create_without_signals(callers, PTHREAD_CREATE_DETACHED, callers_thread)) {
        state.agent_runs.store(0);
        state.agent_threads.store(0);
        return false;
    }
    const bool created = create_without_signals(state.agent, PTHREAD_CREATE_JOINABLE, agent_thread);
    if (!created) state.agent_threads.store(1);
    state.agent_created.store(created ? kCreated : kNone);
    futex_wake(&state.agent_created);
    await_begin(before, created ? 2 : 1);  // mutant begin-of-threads
    return true;
}

}  // namespace

bool create_own_thread(Run run, pthread_t* to_join) noexcept {
    const uint32_t before = state.threads_begun.load();
    pthread_t unused{};
    pthread_t& thread = to_join != nullptr ? *to_join : unused;
    const int detached = to_join != nullptr ? PTHREAD_CREATE_JOINABLE : PTHREAD_CREATE_DETACHED;
    if (!create_without_signals(thread, detached, run)) return false;
    await_begin(before, 1);
    return true;
}

bool start_agent() noexcept {
    if (!joined() || getpid() != state.pid) return true;
    const uint32_t before = state.page->entry_points.fetch_or(DROM_ENTRY_ASYNC);
    if ((before & DROM_ENTRY_ASYNC) != 0 || start_threads()) return true;
    state.page->entry_points.fetch_and(~uint32_t{DROM_ENTRY_ASYNC});
    return false;
}

}  // namespace drom::client
