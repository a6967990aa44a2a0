// SPDX-License-Identifier: BSD-3-Clause
// puppet.hpp - a process that runs one instruction at a time, as far as its test says: schedules of the model with the
// real code.
#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdint>
#include <stdexcept>

namespace drom::test {

class Puppet {
public:
    /// Starts a process that is going to run `body`, and stands still before the first instruction of it.
    template <class Body>
    explicit Puppet(Body&& body) : pid_(fork()) {
        if (pid_ == 0) {
            ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
            raise(SIGSTOP);
            body();
            _exit(0);
        }
        int status = 0;
        if (pid_ < 0 || waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status))
            throw std::runtime_error("a puppet cannot be started");
        ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_TRACESYSGOOD);  // marks the stops at system calls
    }
    ~Puppet() {
        if (gone_) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Puppet(const Puppet&) = delete;
    Puppet& operator=(const Puppet&) = delete;

    /// Runs until `there` holds, and stands still then. False when the process came to its end before that.
    template <class Predicate>
    bool run_until(Predicate&& there) {
        while (!there())
            if (!move(PTRACE_SINGLESTEP)) return false;
        return true;
    }
    /// Runs `count` more instructions. False when the process came to its end before that.
    bool steps(unsigned count) {
        for (; count > 0; --count)
            if (!move(PTRACE_SINGLESTEP)) return false;
        return true;
    }
    /// Runs until a system call with this number and first argument begins. False when the process came to its end
    /// before that.
    bool run_until_call(uint64_t number, uint64_t first) {
        for (;;) {
            __ptrace_syscall_info info{};
            if (!move(PTRACE_SYSCALL)) return false;
            const long size = ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info);
            if (size > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == number &&
                info.entry.args[0] == first)
                return true;
        }
    }
    bool finish() {
        while (move(PTRACE_CONT)) {}
        return ended_well_;
    }

private:
    bool move(__ptrace_request how) {
        int status = 0;
        if (gone_ || ptrace(how, pid_, nullptr, nullptr) != 0 || waitpid(pid_, &status, 0) != pid_) return false;
        gone_ = !WIFSTOPPED(status);
        ended_well_ = gone_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        return !gone_;
    }

    pid_t pid_;
    bool gone_ = false, ended_well_ = false;
};

}  // namespace drom::test
