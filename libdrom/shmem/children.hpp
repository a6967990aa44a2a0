// SPDX-License-Identifier: BSD-3-Clause
// children.hpp - the kernel's lists of the children of a thread, and of this process.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "base/tasks.hpp"

namespace drom {

/// Opens the list of a thread's children. Returns less than 0 on failure.
inline int open_children(const Tasks& threads, uint32_t tid) noexcept {
    char path[32];
    snprintf(path, sizeof path, "%u/children", tid);
    return openat(threads.descriptor(), path, O_RDONLY | O_CLOEXEC);
}

/// A hash of the numbers in a list of children, and their count.
struct Children {
    uint64_t hash = 0xcbf29ce484222325;
    uint32_t count = 0;
    friend bool operator==(const Children&, const Children&) noexcept = default;
};

/// Calls `visit(pid)` for each number in the list. Returns false when it cannot be read.
template <class Visit>
bool read_children(int file, Children& children, const Visit& visit) noexcept {
    char text[512];
    uint32_t pid = 0;
    children = {};
    for (;;) {
        const ssize_t length = read(file, text, sizeof text);
        if (length < 0) return false;
        for (ssize_t i = 0; i < length; ++i) {
            if (text[i] >= '0' && text[i] <= '9') {
                pid = pid * 10 + static_cast<uint32_t>(text[i] - '0');
                continue;
            }
            if (pid == 0) continue;
            visit(pid);
            children.hash = (children.hash ^ pid) * 0x100000001b3;
            ++children.count;
            pid = 0;
        }
        if (length == 0) return true;
    }
}

/// Reads until two readings agree: the kernel may skip a child when a child before it ends at this moment. Returns
/// false with EAGAIN when no two agree. One reading is enough for a single child, as long as that is still there
/// afterwards.
template <class Visit>
bool read_all_children(int file, Children& now, const Visit& visit) noexcept {
    constexpr int kTries = 16;
    Children last;
    for (int tries = 0; tries < kTries; ++tries) {
        if (!read_children(file, now, visit)) return false;
        if (now.count < 2 || (tries > 0 && now == last)) return true;
        last = now;
        lseek(file, 0, SEEK_SET);
    }
    errno = EAGAIN;
    return false;
}

/// Returns whether the calling process has no child, not even one that has ended. One system call of any thread asks
/// for all of them; a list of children costs three per thread.
inline bool has_no_child() noexcept {
    constexpr int kLook = WEXITED | WNOHANG | WNOWAIT | __WALL;  // takes no child's status away from the program
    return syscall(SYS_waitid, P_ALL, 0, nullptr, kLook, nullptr) != 0 && errno == ECHILD;
}

}  // namespace drom
