// SPDX-License-Identifier: BSD-3-Clause
// agent_thread.cpp - the agent's two threads: one reads requests and releases CPUs, the other one calls the program.
//
// To release is to list threads and processes, which opens files. POSIX gives a file the lowest number that is free,
// and programs rely on it (close(0), then open()). So the agent's thread has descriptors of its own, and shares
// everything else. A thread without the program's descriptors must run none of the program's code: the callback of
// drom_on_change, and the exit handlers, which the C library runs in the last thread that it knows. The caller's thread
// is there for these two, and outlives the agent's.
#include <dlfcn.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <climits>
#include <csignal>

#include "base/clock.hpp"
#include "base/identity.hpp"
#include "base/run_at_once.hpp"
#include "client_state.hpp"
#include "shmem/futex.hpp"

namespace drom::client {

namespace {

// --- requests ------------------------------------------------------------------------------------------------------

/// Notes the threads that there are by now, for the first strike of the next release. Nothing while somebody releases:
/// it does that itself.
void look_around() noexcept {
    uint32_t idle = 0;
    if (!state.releasing.compare_exchange_strong(idle, 1)) return;
    note_threads(state.known);
    adapt_waiting();
    if (state.releasing.exchange(0) == 2) futex_wake(&state.releasing);
}

/// The C library ends a process with its last thread, which runs the exit handlers. It counts ours as well, so they go
/// when the first one has gone: others release from then on. With a callback of the program to serve they stay until
/// they are alone.
bool keeps_process_alive() noexcept {
    uint64_t threads = 0;
    return first_thread_has_ended(threads) &&
           (threads <= 1 + state.agent_threads.load() || state.on_release.load() == nullptr);
}

/// Not by way of `hot`: leave() changes that before it rings at this word.
const Word& newest_seq() noexcept { return state.ledger.request(state.slot).newest; }

/// False when there is no request after `handled` by then.
bool await_request(uint64_t handled, uint64_t deadline_ns) noexcept {
    const Word& newest = newest_seq();
    state.page->sleeping.store(1);
    // Sequentially consistent with the administrator's look at `sleeping` after publishing: one of us sees the other.
    if (newest.load() == handled && !state.stop.load())
        futex_wait(futex_half(newest), static_cast<uint32_t>(handled), deadline_ns);
    state.page->sleeping.store(0);
    return newest.load() != handled;
}

/// Waits for a request that has not been released, or the time to try one again; false when the process leaves, or the
/// agent's threads would keep it alive.
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

/// True after waiting because somebody else releases at this moment, or adoption is disabled; false when neither is so.
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

/// The slot was taken from us (an administrator found us dead, wrongly or because the table was removed): run on,
/// unmanaged.
void detach() noexcept {
    hot.request.store(&kNothing);
    hot.seen.store(0);
    state.joined.store(false);
}

// --- calls of the program's function -------------------------------------------------------------------------------

/// The newest release that the program has not been told of. A release that comes while the program is called takes the
/// place of one that waits.
void leave_call(const Wanted& wanted) noexcept {
    Call& call = state.call;
    pthread_mutex_lock(&call.lock);
    call.wanted = wanted;
    call.waits = true;
    pthread_mutex_unlock(&call.lock);
    call.news.fetch_add(1);
    futex_wake(&call.news);
}

bool take_call(Wanted& wanted) noexcept {
    Call& call = state.call;
    pthread_mutex_lock(&call.lock);
    const bool waits = call.waits;
    wanted = call.wanted;
    call.waits = false;
    pthread_mutex_unlock(&call.lock);
    return waits;
}

void call_program() noexcept {
    Wanted wanted{};
    auto* fn = state.on_release.load();
    if (take_call(wanted) && fn != nullptr) fn(wanted);
}

/// By the agent's thread, or by the only one: then it is the program's code that runs, and may take its time.
void tell_program(const Wanted& wanted) noexcept {
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

/// The thread that created ours may have been bound to one CPU, by OMP_PROC_BIND for instance.
void use_all_cpus() noexcept {
    if (!moves_threads()) return;
    set_allowed([](const Wanted& allowed) { return set_affinity(0, allowed.mask); });
}

void serve_requests() noexcept {
    uint64_t handled = released().seq;
    look_around();
    while (!keeps_process_alive() && sleep_until_request(handled)) {
        if (!is_current()) return detach();
        Wanted wanted{};
        if (!newest(wanted)) {  // an administrator that was overtaken is scribbling; whoever overtook it rings again
            futex_wait(&state.nudge, state.nudge.load(), now_ns() + kLookAgain);
            continue;
        }
        const bool done = released().seq >= wanted.seq || release_here(wanted);
        if (!done && !is_given_up(wanted.seq) && wait_for_turn()) continue;
        handled = wanted.seq;
        if (done) tell_program(wanted);
    }
}

/// Nothing of the program's is left in the new table, so no pipe or socket is held open. Where the kernel refuses
/// (before 5.9, or a filter) the program's are used.
void have_own_descriptors() noexcept { syscall(SYS_close_range, 0U, UINT_MAX, unsigned{CLOSE_RANGE_UNSHARE}); }

void* agent_thread(void*) {
    prctl(PR_SET_NAME, "drom");
    have_own_descriptors();
    serve_requests();
    state.call.ends.store(true);
    state.call.news.fetch_add(1);
    futex_wake(&state.call.news);
    return nullptr;
}

/// The bytes that the C library puts on every stack first, large thread-local data of the program's libraries among
/// them.
size_t room_of_thread(const pthread_attr_t& attributes) noexcept {
    auto* least = reinterpret_cast<size_t (*)(const pthread_attr_t*)>(dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    constexpr size_t kLeast = 16 * 1024;
    return least != nullptr ? least(&attributes) : kLeast;
}

bool create(pthread_t& thread, int detached, void* (*run)(void*)) noexcept {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    constexpr size_t kStack = 128 * 1024;
    pthread_attr_setstacksize(&attributes, kStack + room_of_thread(attributes));
    pthread_attr_setdetachstate(&attributes, detached);
    const int code = pthread_create(&thread, &attributes, run, nullptr);
    pthread_attr_destroy(&attributes);
    return code == 0;
}

/// Until the agent's thread has ended. By itself, where that cannot be created.
void run_agent() noexcept {
    pthread_t agent;
    state.call.ends.store(false);
    state.agent_threads.store(2);
    if (!create(agent, PTHREAD_CREATE_JOINABLE, agent_thread)) {
        state.agent_threads.store(1);
        return serve_requests();
    }
    call_until_agent_ends();
    pthread_join(agent, nullptr);
    state.agent_threads.store(1);
}

void* callers_thread(void*) {
    prctl(PR_SET_NAME, "drom");
    ask_for_short_slices();
    use_all_cpus();
    state.agent_ready.store(true);
    // A program that ends at once, as most commands of a script do, has no use for the agent's thread.
    constexpr uint64_t kShortProgram = 10 * kMillisecond;
    await_request(released().seq, now_ns() + kShortProgram);
    if (!state.stop.load()) run_agent();
    state.agent_ready.store(false);
    const bool stopped = state.stop.load();
    state.agent_threads.store(0);
    state.agent_runs.store(0);
    futex_wake(&state.agent_runs);
    // The program's exit handlers run here if all its threads have ended. Otherwise its signals are for its own threads
    // until the end.
    uint64_t threads = 0;
    if (!stopped && first_thread_has_ended(threads) && threads <= 2)
        pthread_sigmask(SIG_SETMASK, &state.signals, nullptr);
    return nullptr;
}

bool start_thread() noexcept {
    // The program's signals are for the program's threads.
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    state.signals = old;
    pthread_t thread;
    state.agent_threads.store(1);
    state.agent_runs.store(1);
    const bool created = create(thread, PTHREAD_CREATE_DETACHED, callers_thread);
    if (!created) state.agent_runs.store(0);
    if (!created) state.agent_threads.store(0);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return created;
}

}  // namespace

bool start_agent() noexcept {
    if (!joined() || getpid() != state.pid) return true;
    const uint32_t before = state.page->doors.fetch_or(DROM_DOOR_ASYNC);
    if ((before & DROM_DOOR_ASYNC) != 0 || start_thread()) return true;
    state.page->doors.fetch_and(~uint32_t{DROM_DOOR_ASYNC});
    return false;
}

}  // namespace drom::client
