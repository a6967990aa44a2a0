// SPDX-License-Identifier: BSD-3-Clause
// signal_relay.cpp - signals that a launcher passes on to its program.
#include "program/signal_relay.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/process_stat.hpp"

namespace drom::command {

namespace {

/// Those that ask a process to end. A fault is among them when another process has sent it.
constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

/// Returns the kernel's letter for the process; '\0': it has none.
char state_of(int stat) {
    char text[256] = "";
    const ssize_t length = pread(stat, text, sizeof text - 1, 0);
    const char* end_of_name = length > 0 ? std::strrchr(text, ')') : nullptr;
    return end_of_name == nullptr || std::strlen(end_of_name) < 3 ? '\0' : end_of_name[2];
}

/// Wakes its creator as soon as the program is not stopped any more: a stopped process cannot look for itself. Does so
/// again and again, because its creator may not have stopped yet.
[[noreturn]] void wake_after(pid_t program, pid_t creator) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_NAME, kWakerName, 0, 0, 0);
    const std::string path = "/proc/" + std::to_string(program) + "/stat";
    const int stat = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    for (constexpr timespec kPause{0, 20'000'000}; getppid() == creator; nanosleep(&kPause, nullptr))
        if (state_of(stat) != 'T') kill(creator, SIGCONT);
    _exit(0);
}

template <size_t N>
sigset_t set_of(const int (&numbers)[N]) {
    sigset_t set;
    sigemptyset(&set);
    for (int number : numbers) sigaddset(&set, number);
    return set;
}

template <size_t N>
bool is_among(const int (&numbers)[N], int number) {
    return std::ranges::find(numbers, number) != std::end(numbers);
}

/// Returns whether its creator said so: nohup for HUP, a shell for the INT of what it starts in the background.
bool is_ignored(int number) {
    struct sigaction action{};
    return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Returns whether the signal is a fault of this process. A blocked one ends it without passing here, unless the kernel
/// reports it late, as it does for broken memory.
bool is_own_fault(const signalfd_siginfo& info) {
    return info.ssi_code > 0 && is_among(kFaults, static_cast<int>(info.ssi_signo));
}

/// Returns whether the process is a descendant of this one, as the program is. False for one that has been reaped.
bool is_below_us(pid_t pid) {
    const pid_t self = getpid();
    while (pid > 1 && pid != self) {
        ProcessStat stat;
        if (read_stat(AT_FDCWD, ("/proc/" + std::to_string(pid) + "/stat").c_str(), stat) != 0) return false;
        pid = static_cast<pid_t>(stat.parent);
    }
    return pid == self;
}

/// Returns whether the program or a process below it has sent the signal: to its process group, so that the program has
/// had it already, or to its parent, so that it is not for the program.
bool is_sent_from_below(const signalfd_siginfo& info) {
    const bool has_sender = info.ssi_code == SI_USER || info.ssi_code == SI_QUEUE || info.ssi_code == SI_TKILL;
    return has_sender && static_cast<pid_t>(info.ssi_pid) != getpid() && is_below_us(static_cast<pid_t>(info.ssi_pid));
}

bool is_for_program(const signalfd_siginfo& info) {
    // A write of this process has failed: a reader has gone, or a file has reached its limit.
    if (static_cast<pid_t>(info.ssi_pid) == getpid()) return false;
    if (info.ssi_signo == SIGCHLD) return info.ssi_code <= 0;  // else a child of this process has ended or stopped
    // A timer that was set before drom run was executed, as "alarm 5; exec @ARGV" of a script does.
    if (info.ssi_signo == SIGALRM) return true;
    // A terminal sends its signals to the whole process group: the program has had this one already.
    return info.ssi_code != SI_KERNEL;
}

void send(pid_t program, const signalfd_siginfo& info) {
    const int number = static_cast<int>(info.ssi_signo);
    sigval value{};
    value.sival_ptr = reinterpret_cast<void*>(info.ssi_ptr);
    // kill() finds room where no more signals with a value can be queued.
    if (info.ssi_code != SI_QUEUE || sigqueue(program, number, value) != 0) kill(program, number);
}

}  // namespace

SignalRelay::SignalRelay(bool adopts) : adopts_(adopts) {
    if (adopts_) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    // All that can be caught: one that ended this process would leave the program with its CPUs.
    sigset_t watched;
    sigfillset(&watched);
    sigprocmask(SIG_BLOCK, &watched, &before_);
    // An inherited SIG_IGN would make the kernel throw the child's exit status away.
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &plain, &child_action_);
    for (size_t i = 0; i < std::size(kStopping); ++i) sigaction(kStopping[i], nullptr, &stop_actions_[i]);
    descriptor_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalRelay::~SignalRelay() {
    if (descriptor_ >= 0) close(descriptor_);
    sigaction(SIGCHLD, &child_action_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void SignalRelay::restore_in_child() const {
    for (size_t i = 0; i < std::size(kStopping); ++i) {
        // A stop that came while it waited for its start was meant for its creator.
        std::signal(kStopping[i], SIG_IGN);
        sigaction(kStopping[i], &stop_actions_[i], nullptr);
    }
    sigaction(SIGCHLD, &child_action_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void SignalRelay::let_stop(bool allowed) {
    const sigset_t set = set_of(kStopping);
    sigprocmask(allowed ? SIG_UNBLOCK : SIG_BLOCK, &set, nullptr);
}

int SignalRelay::arrived() const {
    sigset_t pending;
    sigpending(&pending);
    for (int number : kEnding)
        if (sigismember(&pending, number) == 1 && !is_ignored(number)) return number;
    return 0;
}

void SignalRelay::pass_on(pid_t child) {
    signalfd_siginfo info{};
    while (read(descriptor_, &info, sizeof info) == sizeof info) {
        const int number = static_cast<int>(info.ssi_signo);
        if (is_own_fault(info)) end_like(number);
        if (number == SIGCONT && static_cast<pid_t>(info.ssi_pid) == waker_) continue;
        if (is_sent_from_below(info)) continue;
        if (is_among(kEnding, number) && !is_ignored(number)) ending_signal_ = number;
        if (is_for_program(info)) send(child, info);
    }
}

std::optional<int> SignalRelay::reap(pid_t child) {
    siginfo_t ended{};
    // A signal that the child has sent before its end would end this process later, when its sender is not known.
    if (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == child)
        pass_on(child);
    int status = 0;
    while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
        if (!WIFSTOPPED(status)) return status;
        stop_like(child);
    }
    return std::nullopt;
}

/// Stops this process as the child stopped, so that the shell sees the job stopped. A SIGCONT for this process comes
/// through pass_on.
void SignalRelay::stop_like(pid_t child) {
    const pid_t self = getpid();
    waker_ = fork();
    if (waker_ == 0) wake_after(child, self);
    if (waker_ < 0) return;  // nothing would wake us where the program alone is continued
    raise(SIGSTOP);
    kill(waker_, SIGKILL);
    waitpid(waker_, nullptr, 0);
}

/// Reaps adopted children. The program's own status is left for reap().
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
    let_stop(false);
    const auto deadline = limit ? Clock::now() + *limit : Clock::time_point::max();
    for (;;) {
        pass_on(child);  // before a sender is reaped
        reap_adopted(child);
        if (auto status = reap(child)) return status;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (limit && left <= 0) return std::nullopt;
        pollfd event{descriptor_, POLLIN, 0};
        poll(&event, 1, limit ? static_cast<int>(left) : -1);
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
