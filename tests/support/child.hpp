// SPDX-License-Identifier: BSD-3-Clause
// child.hpp - processes that a test starts, stops and waits for by pid.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <functional>
#include <utility>

namespace drom::test {

/// A forked child. The destructor kills it and waits for it; it also dies with its parent.
class Child {
public:
    Child() = default;
    explicit Child(pid_t pid) : pid_(pid) {}
    Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
    Child& operator=(Child&& other) noexcept {
        if (this != &other) {
            stop();
            pid_ = std::exchange(other.pid_, 0);
        }
        return *this;
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { stop(); }

    /// Runs `body` in a child that exits with its result.
    static Child run(const std::function<int()>& body) {
        const pid_t parent = getpid();
        const pid_t pid = fork();
        if (pid != 0) return Child(pid);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent && getppid() != 0) _exit(97);  // 0: the parent is in another pid namespace
        _exit(body());
    }
    static Child sleeper() {
        return run([] {
            for (;;) pause();
            return 0;
        });
    }

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] uint32_t upid() const { return static_cast<uint32_t>(pid_); }

    void kill(int signal = SIGKILL) const {
        if (pid_ > 0) ::kill(pid_, signal);
    }
    /// Returns the exit code, or 128 + signal. The child is gone afterwards.
    int wait() {
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    void stop() {
        if (pid_ <= 0) return;
        kill();
        wait();
    }
    /// Kills the child without a wait: it becomes a zombie.
    void make_zombie() const {
        kill();
        siginfo_t info{};
        waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
    }

private:
    pid_t pid_ = 0;
};

/// A byte from one process to another, which means "continue".
class Gate {
public:
    Gate() {
        if (pipe(fds_) != 0) fds_[0] = fds_[1] = -1;
    }
    ~Gate() {
        close(fds_[0]);
        close(fds_[1]);
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    void open() const {
        const char byte = 'x';
        while (write(fds_[1], &byte, 1) < 0 && errno == EINTR) {}
    }
    void pass() const {
        char byte = 0;
        while (read(fds_[0], &byte, 1) < 0 && errno == EINTR) {}
    }

private:
    int fds_[2];
};

}  // namespace drom::test
