// SPDX-License-Identifier: BSD-3-Clause
// own_threads.cpp - how drom's threads are created, and how the last one ends.
#include "own_threads.hpp"

#include <dlfcn.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <climits>

#include "base/clock.hpp"
#include "base/process_identity.hpp"
#include "base/run_at_once.hpp"
#include "client_state.hpp"
#include "shmem/futex.hpp"

namespace drom::client {

namespace {

/// Returns the bytes that the C library puts on every stack first, large thread-local data of the program's libraries
/// included.
size_t room_of_thread(const pthread_attr_t& attributes) noexcept {
    auto* min_stack =
        reinterpret_cast<size_t (*)(const pthread_attr_t*)>(dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    constexpr size_t kMinStack = 16 * 1024;
    return min_stack != nullptr ? min_stack(&attributes) : kMinStack;
}

void* begin_and_run(void* run) {
    state.threads_begun.fetch_add(1);
    futex_wake(&state.threads_begun);
    prctl(PR_SET_NAME, "drom");
    ask_for_short_slices();
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

}  // namespace

// A thread that is created by one of drom's own allocates in that: the C library then reserves 64 MiB of address space
// for an arena, which a program under ulimit -v may need. So both are created here.
bool create_own_threads(OwnThreads& threads, Run stays, Run works) noexcept {
    pthread_sigmask(SIG_SETMASK, nullptr, &threads.signals);
    threads.working.store(kNotKnown);
    const uint32_t before = state.threads_begun.load();
    pthread_t staying{};
    if (!create_without_signals(staying, PTHREAD_CREATE_DETACHED, stays)) return false;
    const bool created = create_without_signals(threads.worker, PTHREAD_CREATE_JOINABLE, works);
    threads.working.store(created ? kCreated : kNone);
    futex_wake(&threads.working);
    await_begin(before, created ? 2 : 1);  // mutant begin-of-threads
    return true;
}

bool has_worker(const OwnThreads& threads) noexcept {
    while (threads.working.load() == kNotKnown) futex_wait(&threads.working, kNotKnown, deadline_in_ms(1000));
    return threads.working.load() == kCreated;
}

void let_exit_handlers_run(const OwnThreads& threads) noexcept {
    uint64_t left = 0;
    if (first_thread_has_ended(left) && left <= 2) pthread_sigmask(SIG_SETMASK, &threads.signals, nullptr);
}

bool have_own_descriptors(unsigned first) noexcept {
    return syscall(SYS_close_range, first, UINT_MAX, unsigned{CLOSE_RANGE_UNSHARE}) == 0;
}

}  // namespace drom::client
