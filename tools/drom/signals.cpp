// SPDX-License-Identifier: BSD-3-Clause
// signals.cpp - signals as events.
#include "signals.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <mutex>
#include <thread>

#include "report.hpp"

namespace drom::command {

namespace {

constexpr int kPassedOn[] = {SIGINT,   SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP,
                             SIGWINCH, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGXCPU, SIGURG};
constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::mutex& output_lock() {
    static std::mutex lock;
    return lock;
}

template <size_t N>
sigset_t set_of(const int (&numbers)[N]) {
    sigset_t set;
    sigemptyset(&set);
    for (int number : numbers) sigaddset(&set, number);
    return set;
}

}  // namespace

void end_cleanly_at_signals() {
    constexpr int kNumbers[] = {SIGINT, SIGTERM};
    const sigset_t set = set_of(kNumbers);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread([set] {
        int number = 0;
        sigwait(&set, &number);
        const std::scoped_lock whole_lines(output_lock());
        _exit(kDone);
    }).detach();
}

bool print_whole(const std::string& text) {
    const std::scoped_lock whole_lines(output_lock());
    return print(text);
}

SignalRelay::SignalRelay(bool adopts) : adopts_(adopts) {
    if (adopts_) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigset_t watched = set_of(kPassedOn);
    sigaddset(&watched, SIGCHLD);
    sigprocmask(SIG_BLOCK, &watched, &before_);
    // An inherited SIG_IGN would make the kernel throw the child's exit status away.
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &plain, &child_action_);
    descriptor_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalRelay::~SignalRelay() {
    if (descriptor_ >= 0) close(descriptor_);
    sigaction(SIGCHLD, &child_action_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void SignalRelay::restore_in_child() const {
    sigaction(SIGCHLD, &child_action_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int SignalRelay::arrived() const {
    sigset_t pending;
    sigpending(&pending);
    for (int number : kEnding)
        if (sigismember(&pending, number) == 1) return number;
    return 0;
}

void SignalRelay::pass_on(pid_t child) {
    signalfd_siginfo info{};
    while (read(descriptor_, &info, sizeof info) == sizeof info) {
        const int number = static_cast<int>(info.ssi_signo);
        if (number == SIGCHLD) continue;
        if (number == SIGTSTP) stop_asked_ = true;
        if (std::ranges::find(kEnding, number) != std::end(kEnding)) ending_signal_ = number;
        // What a terminal sends goes to the whole process group: the program has had it already.
        if (info.ssi_code != SI_KERNEL) kill(child, number);
    }
}

std::optional<int> SignalRelay::reap(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
        if (!WIFSTOPPED(status)) return status;
        if (!stop_asked_) continue;
        stop_asked_ = false;
        raise(SIGSTOP);  // so that the shell sees the job stopped; SIGCONT comes through pass_on
    }
    return std::nullopt;
}

/// The program's own status is left for reap().
void SignalRelay::reap_adopted(pid_t child) const {
    siginfo_t ended{};
    while (adopts_ && waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
        if (ended.si_pid == child) return;
        waitpid(ended.si_pid, nullptr, WNOHANG);
        ended = {};
    }
}

std::optional<int> SignalRelay::until_end_of(pid_t child, std::optional<std::chrono::milliseconds> limit) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = limit ? Clock::now() + *limit : Clock::time_point::max();
    for (;;) {
        reap_adopted(child);
        if (auto status = reap(child)) return status;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (limit && left <= 0) return std::nullopt;
        pollfd event{descriptor_, POLLIN, 0};
        if (poll(&event, 1, limit ? static_cast<int>(left) : -1) > 0) pass_on(child);
    }
}

int end_like(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    const int number = WTERMSIG(status);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);  // the program has left its own
    std::signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    raise(number);
    return 128 + number;
}

}  // namespace drom::command
