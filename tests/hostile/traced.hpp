// SPDX-License-Identifier: BSD-3-Clause
// traced.hpp - a process whose system calls the test sees one by one.
#pragma once

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

namespace drom::test {

/// Marks, in a traced process, where the test begins to look at its calls, and where it ends.
inline void mark() { syscall(SYS_close, -1); }

inline bool is_mark(const __ptrace_syscall_info& call) {
    return call.entry.nr == SYS_close && static_cast<int>(call.entry.args[0]) == -1;
}

inline bool wait_for_stop(pid_t pid, int& signal) {
    int status = 0;
    if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) return false;
    signal = WSTOPSIG(status);
    return true;
}

/// Attaches to the process. Returns false where that is forbidden.
inline bool trace(pid_t pid) {
    int signal = 0;
    return ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACESYSGOOD) == 0 &&
           ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0 && wait_for_stop(pid, signal);
}

/// Lets the traced process run until it enters the next system call. Returns false when it has ended.
inline bool next_call(pid_t pid, __ptrace_syscall_info& call) {
    constexpr int kSystemCall = SIGTRAP | 0x80;
    int signal = 0;
    do {
        if (ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr) != 0 || !wait_for_stop(pid, signal)) return false;
        call = {};
        if (signal == kSystemCall) ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call);
    } while (call.op != PTRACE_SYSCALL_INFO_ENTRY);
    return true;
}

/// Lets the traced process run on by itself.
inline void let_go(pid_t pid) { ptrace(PTRACE_DETACH, pid, nullptr, nullptr); }

}  // namespace drom::test
