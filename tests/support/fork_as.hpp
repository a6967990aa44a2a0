// SPDX-License-Identifier: BSD-3-Clause
// fork_as.hpp - processes with a chosen pid: what happens when the kernel gives a number to another process.
#pragma once

#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>
#include <cstdint>
#include <functional>

#include "child.hpp"
#include "skip.hpp"

namespace drom::test {

/// Starts a process with exactly this pid, which runs `body` and then sleeps. Returns 0 when the kernel does not allow
/// that.
inline pid_t fork_as(pid_t wanted, const std::function<void()>& body = [] {}) {
    pid_t set_tid[1] = {wanted};
    clone_args arguments{};
    arguments.exit_signal = SIGCHLD;
    arguments.set_tid = reinterpret_cast<uint64_t>(set_tid);
    arguments.set_tid_size = 1;
    const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid != 0) return pid > 0 ? static_cast<pid_t>(pid) : 0;
    body();
    for (;;) pause();
}

/// Returns a pid that was free a moment ago.
inline pid_t free_pid() {
    Child child = Child::sleeper();
    const pid_t pid = child.pid();
    child.stop();
    return pid;
}

}  // namespace drom::test

#define NEED_SET_TID()                                                              \
    do {                                                                            \
        const drom::test::Child probe(drom::test::fork_as(drom::test::free_pid())); \
        if (probe.pid() == 0) DROM_SKIP("choosing a pid needs root and clone3");    \
    } while (false)
