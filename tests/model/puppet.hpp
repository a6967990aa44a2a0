// SPDX-License-Identifier: BSD-3-Clause
// puppet.hpp - a process that runs one instruction at a time, as far as it is told: schedules of the model with the real code.
#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <stdexcept>

namespace drom::test {

class Puppet {
public:
    /// `body` runs in a process of its own, which has not begun with it yet.
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
    }
    ~Puppet() {
        if (gone_) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Puppet(const Puppet&) = delete;
    Puppet& operator=(const Puppet&) = delete;

    /// Goes on until the world is as asked, and stands still then. False when it came to its end before that.
    template <class Predicate>
    bool run_until(Predicate&& there) {
        while (!there())
            if (!move(PTRACE_SINGLESTEP)) return false;
        return true;
    }
    /// So many instructions more. False when it came to its end before that.
    bool steps(unsigned count) {
        for (; count > 0; --count)
            if (!move(PTRACE_SINGLESTEP)) return false;
        return true;
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
