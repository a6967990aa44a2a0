// SPDX-License-Identifier: BSD-3-Clause
// held_up_test.cpp - a process that moves a client's processes is held up at each of its system calls in turn.
// Meanwhile another process answers a newer request, or processes of the client end. No clock decides.
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <csignal>
#include <fstream>
#include <string>

#include "launched.hpp"
#include "slow_fork.hpp"
#include "table_fixture.hpp"
#include "traced.hpp"
#include "two_cpus.hpp"

namespace {

using namespace drom::test;

/// Returns whether the call moves a thread of another mask than the caller's own.
bool is_move(const __ptrace_syscall_info& call) {
    return call.entry.nr == SYS_sched_setaffinity && call.entry.args[0] != 0;
}

/// Returns the first word of the mask to which the call moves a thread.
uint64_t mask_of_move(pid_t pid, const __ptrace_syscall_info& call) {
    uint64_t word = 0;
    iovec here{&word, sizeof word};
    iovec there{reinterpret_cast<void*>(call.entry.args[2]), sizeof word};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof word ? word : ~uint64_t{0};
}

bool run_to_mark(pid_t pid) {
    __ptrace_syscall_info call{};
    while (next_call(pid, call))
        if (is_mark(call)) return true;
    return false;
}

/// Lets the traced process run until it enters a call for which `is` returns true. Returns false when it came to a mark
/// before, or ended.
template <class Is>
bool run_to(pid_t pid, const Is& is) {
    __ptrace_syscall_info call{};
    while (next_call(pid, call) && !is_mark(call))
        if (is(call)) return true;
    return false;
}

/// Holds the process at the call that is number `calls` after its first move. Returns false when it makes fewer.
bool hold_after_first_move(pid_t pid, int calls) {
    bool held = run_to_mark(pid) && run_to(pid, is_move);
    for (int i = 0; i <= calls && held; ++i) held = run_to(pid, [](const __ptrace_syscall_info&) { return true; });
    return held;
}

/// Holds the process at the call that is number `calls` after its mark. Returns false when it makes fewer, or waits
/// before.
bool hold_after_mark(pid_t pid, int calls) {
    bool held = run_to_mark(pid);
    bool waits = false;
    const auto next = [&waits](const __ptrace_syscall_info& call) {
        waits = call.entry.nr == SYS_futex;
        return true;
    };
    for (int i = 0; i <= calls && held; ++i) held = run_to(pid, next) && !waits;
    return held;
}

/// Runs on to the mark. Returns how many moves put a thread outside `mask`.
int count_moves_outside(pid_t pid, uint64_t mask) {
    int outside = 0;
    run_to(pid, [&](const __ptrace_syscall_info& call) {
        outside += is_move(call) && (mask_of_move(pid, call) & ~mask) != 0 ? 1 : 0;
        return false;
    });
    return outside;
}

/// Starts two sleeping processes, one below the other.
void start_two(const Shared& words) {
    if (fork_descendant() != 0) return;
    words->parent.store(getpid());
    if (fork_descendant() != 0) sleep_for_good();
    words->other.store(getpid());
    sleep_for_good();
}

class HeldUp : public WithForks {
protected:
    /// Starts an administrator that sets `mask` between two marks, and ends with the status as a positive number.
    Child start_administrator(const Launched& launched, uint64_t mask, uint32_t timeout_ms, const Gate& gate) {
        return Child::run([this, &launched, &gate, mask, timeout_ms] {
            gate.pass();
            drom_table* table = nullptr;
            if (drom_open(&table, path_.c_str(), nullptr, nullptr) != DROM_OK) return 99;
            const drom_options options = options_with(DROM_WAIT_RELEASED, timeout_ms);
            mark();
            const int status = drom_set_mask(table, launched.program(), &mask, 1, &options, nullptr);
            mark();
            return status;
        });
    }
    static void expect_all_on(const Launched& launched, uint64_t mask, int calls) {
        for (const pid_t pid : {launched.program(), launched.words->parent.load(), launched.other()})
            EXPECT_EQ(mask_of(pid), mask) << "held at call " << calls;
    }
    /// Holds the mover at the call that is number `calls` after its first move, and has a newer request released
    /// meanwhile. Returns false when it makes fewer.
    bool overtake(const Launched& launched, pid_t mover, int calls) {
        if (!hold_after_first_move(mover, calls)) return false;
        EXPECT_EQ(release(launched, kSecond), DROM_OK) << error_.text;
        expect_all_on(launched, kSecond, calls);
        EXPECT_EQ(count_moves_outside(mover, kSecond), 0) << "held at call " << calls;
        let_go(mover);
        return true;
    }
};

/// Joins, and obeys a request at one safe point when the gate opens. Another one would mend what this one left.
void obey_at_safe_point(const Gate& gate, const Shared& words) {
    if (drom_init(nullptr, 0, nullptr, nullptr) != DROM_OK) _exit(1);
    words->ready.store(true);
    gate.pass();
    mark();
    drom_poll(nullptr, 0, nullptr);
    mark();
}

TEST_F(HeldUp, AnAdministratorMovesNoProcessOutsideANewerMask) {
    NEED_TWO_CPUS();
    int calls = 0;
    for (bool held = true; held; ++calls) {
        const Gate gate;
        const Launched launched(path_, kBoth, start_two);
        (void)launched.other();
        Child older = start_administrator(launched, kFirst, kLongWait, gate);
        if (!trace(older.pid())) DROM_SKIP("system calls cannot be traced here");
        gate.open();
        held = overtake(launched, older.pid(), calls);
        if (!held) break;
        EXPECT_EQ(older.wait(), DROM_OK);
        expect_all_on(launched, kSecond, calls);
    }
    EXPECT_GT(calls, 10) << "it was not held while it moved them";
}

TEST_F(HeldUp, AClientMovesNoProcessOutsideANewerMask) {
    NEED_TWO_CPUS();
    int calls = 0;
    for (bool held = true; held; ++calls) {
        const Gate gate;
        const Launched launched(path_, kBoth, [&gate](const Shared& words) {
            start_two(words);
            obey_at_safe_point(gate, words);
        });
        await([&launched] { return launched.words->ready.load(); });
        (void)launched.other();
        ASSERT_EQ(set(launched.program(), kFirst), DROM_PENDING) << error_.text;
        if (!trace(launched.program())) DROM_SKIP("system calls cannot be traced here");
        gate.open();
        held = overtake(launched, launched.program(), calls);
        if (held) expect_all_on(launched, kSecond, calls);
    }
    EXPECT_GT(calls, 10) << "it was not held while it moved them";
}

/// Trees found a child of a fork outside: the second request was released, since all that could be seen was inside.
TEST_F(HeldUp, AForkThatTheOlderRequestWaitedForIsWaitedForByTheNewerOne) {
    NEED_TWO_CPUS();
    const Gate gate;
    const Launched launched(path_, kBoth, start_slow_fork);
    NEED_HELD_FORK(launched);
    Child older = start_administrator(launched, kFirst, 300, gate);
    if (!trace(older.pid())) DROM_SKIP("system calls cannot be traced here");
    gate.open();
    const auto waits = [](const __ptrace_syscall_info& call) { return call.entry.nr == SYS_futex; };
    ASSERT_TRUE(run_to_mark(older.pid()) && run_to(older.pid(), is_move) && run_to(older.pid(), waits));
    set(launched.program(), kBoth);
    set(launched.program(), kFirst);
    let_go(older.pid());
    EXPECT_EQ(older.wait(), DROM_PENDING) << "the child will be outside";
    expect_child_on_first(launched);
}

TEST_F(HeldUp, AClientGivesAllCpusBackToAProcessThatAnOvertakenRequestTookThemFrom) {
    NEED_TWO_CPUS();
    const Launched launched(path_, kBoth, [](const Shared& words) {
        start_slow_fork(words);
        if (drom_init(nullptr, 0, nullptr, nullptr) != DROM_OK) _exit(1);
        words->ready.store(true);
        for (;;) {
            drom_poll(nullptr, 0, nullptr);
            usleep(1000);
        }
    });
    NEED_HELD_FORK(launched);
    await([&launched] { return launched.words->ready.load(); });
    const pid_t parent = launched.words->parent.load();
    EXPECT_EQ(set(launched.program(), kFirst, DROM_NEVER_CONFINE), DROM_PENDING) << error_.text;
    await([parent] { return mask_of(parent) == kFirst; });
    kill(launched.program(), SIGSTOP);
    set(launched.program(), kSecond, DROM_NEVER_CONFINE);
    set(launched.program(), kBoth, DROM_NEVER_CONFINE);
    kill(launched.program(), SIGCONT);
    launched.words->step.store(kLetGo);
    const drom_options options = options_with(DROM_WAIT_RELEASED | DROM_NEVER_CONFINE, kLongWait);
    const int status = drom_set_mask(table_, launched.program(), &kBoth, 1, &options, &error_);
    EXPECT_TRUE(status == DROM_OK || status == DROM_UNCHANGED) << error_.text;
    EXPECT_EQ(mask_of(parent), kBoth);
    EXPECT_EQ(mask_of(launched.other()), kBoth);
}

// --- a process ends, and leaves its child to another one ------------------------------------------------------------

/// Returns whether the process has ended: also when it waits to be reaped.
bool has_ended(pid_t pid) {
    std::string line;
    if (!getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), line)) return true;
    return line.find(") Z") != std::string::npos;
}

/// Starts a process below which another one has a child. When that one ends, the first adopts the child. All but the
/// child are on the first CPU already, so that nothing else has to be moved.
void start_three(const Shared& words, bool reaps) {
    drom::set_affinity(0, cpus(kFirst));
    if (fork_descendant() != 0) return;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (reaps) signal(SIGCHLD, SIG_IGN);
    if (fork_descendant() != 0) sleep_for_good();
    words->parent.store(getpid());
    if (fork() != 0) sleep_for_good();
    drom::set_affinity(0, cpus(kBoth));
    words->other.store(getpid());
    sleep_for_good();
}

/// With the parameter, the process that adopts reaps its children at once. Otherwise they stay as zombies.
class HeldUpWhileOneEnds : public HeldUp, public testing::WithParamInterface<bool> {};

TEST_P(HeldUpWhileOneEnds, TheChildThatItLeavesIsMoved) {
    NEED_TWO_CPUS();
    int calls = 0;
    for (bool held = true; held; ++calls) {
        const Gate gate;
        const Launched launched(path_, kBoth, [](const Shared& words) { start_three(words, GetParam()); });
        const pid_t left = launched.other();
        const pid_t parent = launched.words->parent.load();
        Child administrator = start_administrator(launched, kFirst, kLongWait, gate);
        if (!trace(administrator.pid())) DROM_SKIP("system calls cannot be traced here");
        gate.open();
        held = hold_after_mark(administrator.pid(), calls);
        if (!held) break;
        kill(parent, SIGKILL);
        await([parent] { return has_ended(parent); });
        let_go(administrator.pid());
        EXPECT_EQ(administrator.wait(), DROM_OK);
        EXPECT_EQ(mask_of(left), kFirst) << "held at call " << calls;
    }
    EXPECT_GT(calls, 10) << "it was not held while it moved them";
}

INSTANTIATE_TEST_SUITE_P(Ends, HeldUpWhileOneEnds, testing::Bool(),
                         [](const auto& reaps) { return reaps.param ? "and_is_reaped" : "and_stays_a_zombie"; });

// --- a child is born, starts a daemon and ends ----------------------------------------------------------------------

/// Starts a daemon, and ends by the bare system call: ThreadSanitizer's _exit() sleeps for a second.
void start_daemon(const Shared& words) {
    store_pid(words->parent);
    hold_no_fork();
    if (fork_bare() == 0) {
        store_pid(words->other);
        sleep_for_good();
    }
    syscall(SYS_exit_group, 0);
}

/// Begins a fork whose child will start a daemon. The launcher adopts the daemon.
void start_daemon_slowly(const Shared& words) {
    signal(SIGCHLD, SIG_IGN);
    if (fork_descendant() == 0) sleep_for_good();
    fork_slowly(words, start_daemon);
    sleep_for_good();
}

/// The daemon kept its CPUs. Its parent was born after the client had been asked for its children, and was reaped
/// before it was asked again; the launcher had been asked in between.
TEST_F(HeldUp, ADaemonWhoseParentWasBornAndReapedBetweenTwoListsIsMoved) {
    NEED_TWO_CPUS();
    int calls = 0;
    for (bool held = true; held; ++calls) {
        const Gate gate;
        const Launched launched(path_, kBoth, start_daemon_slowly);
        NEED_HELD_FORK(launched);
        Child administrator = start_administrator(launched, kFirst, kLongWait, gate);
        if (!trace(administrator.pid())) DROM_SKIP("system calls cannot be traced here");
        gate.open();
        held = hold_after_mark(administrator.pid(), calls);
        if (!held) break;
        launched.words->step.store(kLetGo);
        const pid_t daemon = launched.other();
        const pid_t parent = launched.words->parent.load();
        await([parent] { return kill(parent, 0) != 0; });
        let_go(administrator.pid());
        EXPECT_EQ(administrator.wait(), DROM_OK);
        EXPECT_EQ(mask_of(daemon), kFirst) << "held at call " << calls;
    }
    EXPECT_GT(calls, 10) << "it was not held while it moved them";
}

}  // namespace
