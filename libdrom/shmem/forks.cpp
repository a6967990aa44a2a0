// SPDX-License-Identifier: BSD-3-Clause
// forks.cpp - forks that may be under way in a process that was moved.
#include "forks.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "base/process_stat.hpp"

namespace drom {

namespace {

/// Returns whether the thread waits for a child of vfork. That child is listed.
bool waits_for_child(const Tasks& threads, uint32_t tid) noexcept {
    char path[32];
    char text[64]{};
    snprintf(path, sizeof path, "%u/wchan", tid);
    const int file = openat(threads.descriptor(), path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    return length > 0 && (strcmp(text, "kernel_clone") == 0 || strcmp(text, "wait_for_vfork_done") == 0);
}

/// Returns whether the thread may be inside a fork, running or not.
bool may_fork(const Tasks& threads, uint32_t tid) noexcept {
    char path[24];
    snprintf(path, sizeof path, "%u/stat", tid);
    ProcessStat stat;
    if (read_stat(threads.descriptor(), path, stat) != 0) return false;
    return stat.state == 'R' || (stat.state == 'D' && !waits_for_child(threads, tid));  // mutant awake
}

uint64_t ran_ns_of(const Tasks& threads, uint32_t tid) noexcept {
    char path[32];
    char text[96];
    snprintf(path, sizeof path, "%u/schedstat", tid);
    return read_text(threads.descriptor(), path, text, sizeof text) > 0 ? strtoull(text, nullptr, 10) : 0;
}

}  // namespace

void Forks::forget(uint32_t pid) noexcept {
    for (uint32_t i = awake_.count(); i-- > 0;)
        if (awake_[i].pid == pid) awake_.remove(i);
}

bool Forks::note(uint32_t pid, Tasks& threads) noexcept {
    forget(pid);
    bool room = true;
    threads.rewind();
    threads.each([&](uint32_t tid) {
        if (may_fork(threads, tid)) room = awake_.add({pid, tid, ran_ns_of(threads, tid)}) && room;
    });
    return room;
}

bool Forks::are_over(uint32_t pid, const Tasks& threads) noexcept {
    constexpr uint64_t kLongestFork = 2 * kMillisecond;
    bool over = true;
    for (uint32_t i = awake_.count(); i-- > 0;) {
        const Thread& thread = awake_[i];
        if (thread.pid != pid) continue;
        const bool left =
            !may_fork(threads, thread.tid) || ran_ns_of(threads, thread.tid) >= thread.ran_ns + kLongestFork;
        if (left) awake_.remove(i);
        over &= left;
    }
    return over;
}

}  // namespace drom
