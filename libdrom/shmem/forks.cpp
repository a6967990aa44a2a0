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

/// Reads the beginning of a file of the thread. Returns its length; less than 1: it cannot be read.
ssize_t read_beginning(const Tasks& threads, uint32_t tid, const char* name, char* text, size_t size) noexcept {
    char path[24];
    snprintf(path, sizeof path, "%u/%s", tid, name);
    const int file = openat(threads.descriptor(), path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    const ssize_t length = read(file, text, size);
    close(file);
    return length;
}

/// Returns whether the thread waits for a child of vfork. That child is listed.
bool waits_for_child(const Tasks& threads, uint32_t tid) noexcept {
    char text[64]{};
    if (read_beginning(threads, tid, "wchan", text, sizeof text - 1) < 1) return false;
    return strcmp(text, "kernel_clone") == 0 || strcmp(text, "wait_for_vfork_done") == 0;
}

/// Returns whether the thread may be inside a fork, running or not. `waits`: it does not run.
bool may_fork(const Tasks& threads, uint32_t tid, bool& waits) noexcept {
    char path[24];
    snprintf(path, sizeof path, "%u/stat", tid);
    ProcessStat stat;
    if (read_stat(threads.descriptor(), path, stat) != 0) return false;
    waits = stat.state == 'D' && !waits_for_child(threads, tid);  // mutant awake
    return stat.state == 'R' || waits;
}

uint64_t ran_ns_of(const Tasks& threads, uint32_t tid) noexcept {
    char path[32];
    char text[96];
    snprintf(path, sizeof path, "%u/schedstat", tid);
    return read_text(threads.descriptor(), path, text, sizeof text) > 0 ? strtoull(text, nullptr, 10) : 0;
}

/// Reads the memory map of the thread's process. Returns after the copying of it that was under way. False where it
/// cannot be read: then it is not known whether a thread that is awake has left its fork.
bool read_map(const Tasks& threads, uint32_t tid) noexcept {
    char any = 0;
    return read_beginning(threads, tid, "maps", &any, 1) == 1;
}

}  // namespace

void Forks::forget(uint32_t pid) noexcept {
    for (uint32_t i = awake_.count(); i-- > 0;)
        if (awake_[i].pid == pid) awake_.remove(i);
}

bool Forks::note(uint32_t pid, Tasks& threads) noexcept {
    forget(pid);
    bool room = true;
    const auto self = static_cast<uint32_t>(syscall(SYS_gettid));
    threads.rewind();
    threads.each([&](uint32_t tid) {
        bool waits = false;
        if (tid != self && may_fork(threads, tid, waits))
            room = awake_.add({pid, tid, ran_ns_of(threads, tid)}) && room;
    });
    return room;
}

bool Forks::has_left(Thread& thread, const Tasks& threads) noexcept {
    if (!may_fork(threads, thread.tid, thread.waits)) return true;
    const uint64_t ran = ran_ns_of(threads, thread.tid);
    const bool long_enough = ran >= thread.ran_ns + kMillisecond;
    switch (thread.step) {
        case Step::kMoved:
            if (!long_enough || !read_map(threads, thread.tid)) return false;
            thread.step = Step::kRead;
            thread.ran_ns = ran_ns_of(threads, thread.tid);
            return false;
        case Step::kRead:
            if (ran == thread.ran_ns) return false;
            thread.step = Step::kCounted;
            thread.ran_ns = ran;
            return false;
        case Step::kCounted: return long_enough;
    }
    return false;
}

bool Forks::waits_in_kernel(uint32_t pid) noexcept {
    for (uint32_t i = 0; i < awake_.count(); ++i)
        if (awake_[i].pid == pid && awake_[i].waits) return true;
    return false;
}

bool Forks::are_over(uint32_t pid, const Tasks& threads) noexcept {
    bool over = true;
    for (uint32_t i = awake_.count(); i-- > 0;) {
        if (awake_[i].pid != pid) continue;
        const bool left = has_left(awake_[i], threads);
        if (left) awake_.remove(i);
        over &= left;
    }
    return over;
}

}  // namespace drom
