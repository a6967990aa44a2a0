// SPDX-License-Identifier: BSD-3-Clause
// as_user.cpp - root's work in a child with the rights of a user.
#include "verbs/as_user.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <list>
#include <optional>

namespace drom::command {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Becomes the user for good: nothing of root is left to this process.
bool become(uid_t uid) {
    const passwd* user = getpwuid(uid);
    const gid_t group = user != nullptr ? user->pw_gid : uid;
    return setgroups(0, nullptr) == 0 && setresgid(group, group, group) == 0 && setresuid(uid, uid, uid) == 0;
}

/// SIGCHLD as an event: a child has ended or was stopped. A pidfd would not tell of the second.
class ChildEvents {
public:
    ChildEvents() {
        // An inherited SIG_IGN would make the kernel throw the child's exit status away.
        std::signal(SIGCHLD, SIG_DFL);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        sigprocmask(SIG_BLOCK, &set, &before_);
        descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    }
    ~ChildEvents() {
        if (descriptor_ >= 0) close(descriptor_);
        sigprocmask(SIG_SETMASK, &before_, nullptr);
    }
    ChildEvents(const ChildEvents&) = delete;
    ChildEvents& operator=(const ChildEvents&) = delete;

    [[nodiscard]] bool ok() const { return descriptor_ >= 0; }
    void restore_in_child() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

    /// Returns at the next event, at the deadline, or when `other` (-1: nothing) is readable; true: when it is.
    [[nodiscard]] bool wait(Clock::time_point deadline, int other) const {
        const auto left =
            std::clamp<int64_t>(std::chrono::ceil<milliseconds>(deadline - Clock::now()).count(), 0, INT32_MAX);
        pollfd events[] = {{descriptor_, POLLIN, 0}, {other, POLLIN, 0}};
        if (poll(events, 2, static_cast<int>(left)) <= 0) return false;
        signalfd_siginfo seen{};
        while (read(descriptor_, &seen, sizeof seen) == sizeof seen) continue;
        return events[1].revents != 0;
    }

private:
    sigset_t before_{};
    int descriptor_ = -1;
};

/// A child that is waited for until a deadline.
class Waiter {
public:
    Waiter(pid_t child, const ChildEvents& events) : child_(child), events_(events) {}

    [[nodiscard]] bool started() const { return child_ >= 0; }

    /// Returns whether the child has ended. One that is stopped goes on.
    bool has_ended() {
        if (status_) return true;
        int status = 0;
        if (waitpid(child_, &status, WNOHANG | WUNTRACED) != child_) return false;
        if (WIFSTOPPED(status)) {
            // The user may stop it again at once: the deadline decides.
            stopped_ = true;
            kill(child_, SIGCONT);
            return false;
        }
        status_ = status;
        return true;
    }

    /// Waits until the child has ended by itself.
    void until_end(milliseconds limit, const KeptSignals* kept) {
        constexpr auto kLeftByAnInterruption = milliseconds(1000);
        int signals = kept != nullptr ? kept->descriptor() : -1;
        auto deadline = Clock::now() + limit;
        while (!has_ended() && Clock::now() < deadline) {
            if (!events_.wait(deadline, signals)) continue;
            signals = -1;
            deadline = std::min(deadline, Clock::now() + kLeftByAnInterruption);
            interrupted_ = true;
        }
    }

    /// Ends the child. One that the kernel does not let go is left behind.
    void end_it() {
        constexpr auto kLimit = milliseconds(2000);
        kill(child_, SIGKILL);
        for (const auto deadline = Clock::now() + kLimit; !has_ended() && Clock::now() < deadline;)
            static_cast<void>(events_.wait(deadline, -1));
    }

    [[nodiscard]] int status() const { return status_.value_or(0); }
    [[nodiscard]] bool was_stopped() const { return stopped_; }
    [[nodiscard]] bool was_interrupted() const { return interrupted_; }

private:
    pid_t child_;
    const ChildEvents& events_;
    std::optional<int> status_;
    bool stopped_ = false;
    bool interrupted_ = false;
};

std::string text_of(int file) {
    std::string text;
    char part[4096];
    for (ssize_t got = 0; (got = pread(file, part, sizeof part, static_cast<off_t>(text.size()))) > 0;)
        text.append(part, static_cast<size_t>(got));
    return text;
}

constexpr const char* kProcess = "the process that works there with the user's rights";

std::string death_text(int number) {
    if (number == SIGBUS)
        return fmt::format(
            "{} has died of signal {} ({}): the table was cut meanwhile; drom check, as the user, says "
            "what is left of it",
            kProcess, number, strsignal(number));
    return fmt::format("{} was ended by signal {} ({}); end the user's processes that send it, and try again", kProcess,
                       number, strsignal(number));
}

std::string lateness_text(const Waiter& waiter, milliseconds limit) {
    if (waiter.was_interrupted()) return fmt::format("{} was killed for the signal that has arrived", kProcess);
    const double seconds = std::chrono::duration<double>(limit).count();
    if (waiter.was_stopped())
        return fmt::format(
            "{} was stopped again and again for {:.3g} s; end the user's processes that stop it, and "
            "try again",
            kProcess, seconds);
    return fmt::format(
        "{} has not ended after {:.3g} s; give it more time (DROM_TIMEOUT_MS), or look at what the user "
        "runs",
        kProcess, seconds);
}

[[noreturn]] void work_as(uid_t uid, pid_t creator, const std::function<int()>& work) {
    if (!become(uid)) {
        complain(fmt::format("drom: the rights of user {} cannot be taken on: {}", uid, std::strerror(errno)));
        _exit(kRefused);
    }
    // After the change of user, which clears it: no process waits for a child whose creator was killed.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    _exit(getppid() == creator ? work() : kRefused);
}

/// A child with the rights of a user, and the file that its output goes to.
class UserChild {
public:
    UserChild(const UserWork& work, const ChildEvents& events)
        : output_(memfd_create("drom-as-user", MFD_CLOEXEC)), waiter_(start(work, events), events) {}
    ~UserChild() {
        if (output_ >= 0) close(output_);
    }
    UserChild(const UserChild&) = delete;
    UserChild& operator=(const UserChild&) = delete;

    /// Returns whether nothing is left to wait for.
    bool is_over() { return !waiter_.started() || waiter_.has_ended(); }

    void wait(milliseconds limit, const KeptSignals* kept) {
        if (waiter_.started()) waiter_.until_end(limit, kept);
    }

    /// Returns its answer, after a wait for `limit`. A child that has not ended is killed.
    Answer answer(milliseconds limit) {
        if (!waiter_.started())
            return {kRefused, {}, fmt::format("no process can be started for it: {}; end some others", why_)};
        if (!waiter_.has_ended()) {
            waiter_.end_it();
            return {kRefused, {}, lateness_text(waiter_, limit)};
        }
        if (WIFSIGNALED(waiter_.status())) return {kRefused, {}, death_text(WTERMSIG(waiter_.status()))};
        return {WEXITSTATUS(waiter_.status()), text_of(output_)};
    }

private:
    pid_t start(const UserWork& work, const ChildEvents& events) {
        const pid_t creator = getpid();
        std::fflush(stdout);  // or the child would print what is left there once more
        const pid_t child = output_ < 0 || !events.ok() ? -1 : fork();
        if (child < 0) why_ = std::strerror(errno);
        if (child != 0) return child;
        events.restore_in_child();
        dup2(output_, STDOUT_FILENO);
        work_as(work.uid, creator, work.work);
    }

    int output_;
    std::string why_;
    Waiter waiter_;
};

}  // namespace

Answer as_user(uid_t uid, const std::function<int()>& work, milliseconds limit, const KeptSignals* kept) {
    const ChildEvents events;
    UserChild child({uid, work}, events);
    child.wait(limit, kept);
    return child.answer(limit);
}

std::vector<Answer> as_users(const std::vector<UserWork>& works, milliseconds limit) {
    const ChildEvents events;
    std::list<UserChild> children;
    for (const UserWork& work : works) children.emplace_back(work, events);
    const auto all_over = [&] {
        size_t over = 0;
        for (UserChild& child : children) over += child.is_over() ? 1U : 0U;  // each, since a stopped one goes on
        return over == children.size();
    };
    const auto deadline = Clock::now() + limit;
    while (!all_over() && Clock::now() < deadline) static_cast<void>(events.wait(deadline, -1));
    std::vector<Answer> answers;
    for (UserChild& child : children) answers.push_back(child.answer(limit));
    return answers;
}

}  // namespace drom::command
