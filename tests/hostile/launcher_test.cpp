// SPDX-License-Identifier: BSD-3-Clause
// launcher_test.cpp - a client that a launcher started: what a release costs in system calls, and that all its
// processes are found although the launcher was looked at before.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "base/confine.hpp"
#include "fork_as.hpp"
#include "launched.hpp"
#include "table_fixture.hpp"
#include "traced.hpp"
#include "two_cpus.hpp"

namespace {

using namespace drom::test;
using drom::CpuSet;

/// Becomes another program, whose environment can be read.
[[noreturn]] void become_other(const Shared& words) {
    prctl(PR_SET_PDEATHSIG, 0);
    words->other.store(getpid());
    execlp("sleep", "sleep", "600", nullptr);
    _exit(1);
}

/// Leaves a process to the launcher, which adopts it: its parent ends.
void leave_behind(const Shared& words) {
    Child::run([&words] {
        if (fork() == 0) become_other(words);
        return 0;
    }).wait();
}

bool is_sleep(pid_t pid) {
    std::string name;
    return getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name) && name == "sleep";
}

class Launcher : public WithTable {
protected:
    int release(const Launched& launched, uint64_t mask) {
        constexpr uint32_t kLongWait = 20'000;  // milliseconds, for a machine that is busy
        return set(launched.program(), mask, DROM_WAIT_RELEASED, kLongWait);
    }

    /// Ends the launcher, and starts a process with its number that has a child.
    static Child replace_launcher(Launched& launched) {
        const pid_t pid = launched.process().pid();
        launched.process().stop();
        usleep(20'000);  // into another tick of the kernel's clock
        return Child(fork_as(pid, [&launched] {
            drom::set_affinity(0, cpus(kBoth));
            if (fork() == 0) become_other(launched.words);
        }));
    }
};

// --- system calls --------------------------------------------------------------------------------------------------

/// ThreadSanitizer adds system calls of its own, and more on a busy machine: it bounds nothing here.
#ifdef __SANITIZE_THREAD__
constexpr int kCallsOfSanitizer = 100000;
#else
constexpr int kCallsOfSanitizer = 0;
#endif

/// Returns how many system calls the traced process makes between two marks; -1: it ended before.
int calls_between_marks(pid_t pid) {
    int count = 0;
    __ptrace_syscall_info call{};
    do {
        if (!next_call(pid, call)) return -1;
    } while (!is_mark(call));
    for (;; ++count) {
        if (!next_call(pid, call)) return -1;
        if (is_mark(call)) break;
    }
    ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    return count;
}

/// Sets the mask three times: to the first CPU, to both, and, between marks, to the second. Returns 0 when all was
/// done.
int shrink_twice(const std::string& path, pid_t program) {
    drom_table* table = nullptr;
    if (drom_open(&table, path.c_str(), nullptr, nullptr) != DROM_OK) return 1;
    const drom_options options = options_with(DROM_WAIT_RELEASED);
    for (const uint64_t mask : {kFirst, kBoth, kSecond}) {
        if (mask == kSecond) mark();
        if (drom_set_mask(table, program, &mask, 1, &options, nullptr) != DROM_OK) return 2;
    }
    mark();
    return 0;
}

/// Returns the system calls of an administrator's second shrink of a program with this many threads; 0: they cannot be
/// traced.
int calls_of_administrator(const std::string& path, int threads) {
    const Launched launched(path, kBoth, [threads](const Shared& words) {
        for (int i = 1; i < threads; ++i) std::thread(sleep_for_good).detach();
        words->ready.store(true);
    });
    await([&launched] { return launched.words->ready.load(); });
    const Gate gate;
    const Child administrator = Child::run([&] {
        gate.pass();
        return shrink_twice(path, launched.program());
    });
    if (!trace(administrator.pid())) return 0;
    gate.open();
    return calls_between_marks(administrator.pid());
}

/// A release without a launcher takes 80 us; each of these calls takes up to 6. An administrator read the launcher's
/// line in /proc each time.
TEST_F(Launcher, AnAdministratorAsksLittleOfTheKernelForTheSecondRelease) {
    NEED_TWO_CPUS();
    const int one = calls_of_administrator(path_, 1);
    if (one == 0) DROM_SKIP("system calls cannot be traced here");
    EXPECT_GT(one, 20) << "the marks are not around the release";
    EXPECT_LE(one, 36 + kCallsOfSanitizer);
    const int three = calls_of_administrator(path_, 3);
    // One more or less: the table is looked for once per tick of the kernel's clock.
    EXPECT_LE(three - one, 2 * 7 + 1 + kCallsOfSanitizer)
        << "for each thread: its mask twice, the new mask and what became of it, and its children";
}

/// Joins, and releases at a safe point whenever the gate opens.
void follow(const Gate& gate, const Shared& words) {
    if (drom_init(nullptr, 0, nullptr, nullptr) != DROM_OK) _exit(1);
    words->ready.store(true);
    uint64_t mask = 0;
    for (;;) {
        gate.pass();
        const bool second = words->releases.load() == 1;
        if (second) mark();
        await([&mask] { return drom_poll(&mask, 1, nullptr) == DROM_OK; });  // again where a busy machine took too long
        if (second) mark();
        words->releases.fetch_add(1);
    }
}

TEST_F(Launcher, AClientAsksLittleOfTheKernelForTheSecondRelease) {
    NEED_TWO_CPUS();
    const Gate gate;
    const Launched launched(path_, kBoth, [&gate](const Shared& words) { follow(gate, words); });
    await([&launched] { return launched.words->ready.load(); });
    EXPECT_EQ(set(launched.program(), kFirst), DROM_PENDING) << error_.text;
    gate.open();
    await([&launched] { return launched.words->releases.load() == 1; });
    EXPECT_EQ(set(launched.program(), kSecond), DROM_PENDING) << error_.text;
    if (!trace(launched.program())) DROM_SKIP("system calls cannot be traced here");
    gate.open();
    const int calls = calls_between_marks(launched.program());
    EXPECT_GT(calls, 15) << "the marks are not around the release";
    EXPECT_LE(calls, 35 + kCallsOfSanitizer);
}

// --- what was known of a launcher ----------------------------------------------------------------------------------

TEST_F(Launcher, AnotherLaunchersLastProcessIsMovedAsWell) {
    NEED_TWO_CPUS();
    const Launched first(path_, kFirst, leave_behind);
    const Launched second(path_, kSecond, leave_behind);
    ASSERT_GE(release(first, kFirst), DROM_OK) << error_.text;
    ASSERT_EQ(drom::set_affinity(static_cast<uint32_t>(second.other()), cpus(kBoth)), 0);
    ASSERT_GE(release(second, kSecond), DROM_OK) << error_.text;
    EXPECT_EQ(mask_of(second.other()), kSecond);
}

TEST_F(Launcher, AProcessOfItsSecondThreadIsMovedAtEachRelease) {
    NEED_TWO_CPUS();
    const Launched launched(
        path_, kBoth, [](const Shared&) {},
        [](const Shared& words) {
            std::thread([&words] {
                if (fork() == 0) become_other(words);
                sleep_for_good();
            }).detach();
        });
    const pid_t other = launched.other();
    for (const uint64_t mask : {kFirst, kSecond}) {
        ASSERT_EQ(release(launched, mask), DROM_OK) << error_.text;
        EXPECT_EQ(mask_of(other), mask);
    }
}

TEST_F(Launcher, AProcessThatItLeftAtItsEndIsMovedWhileItIsAZombie) {
    NEED_TWO_CPUS();
    Launched launched(path_, kBoth, leave_behind);
    const pid_t other = launched.other();
    await([other] { return is_sleep(other); });
    ASSERT_EQ(release(launched, kFirst), DROM_OK) << error_.text;
    EXPECT_EQ(mask_of(other), kFirst);
    launched.process().make_zombie();
    ASSERT_EQ(release(launched, kSecond), DROM_OK) << error_.text;
    EXPECT_EQ(mask_of(other), kSecond);
}

TEST_F(Launcher, AnAdministratorMovesNoProcessOfAStrangerWithItsNumber) {
    NEED_TWO_CPUS();
    NEED_SET_TID();
    Launched launched(path_, kBoth, [](const Shared&) {});
    ASSERT_EQ(release(launched, kFirst), DROM_OK) << error_.text;
    const Child stranger = replace_launcher(launched);
    ASSERT_NE(stranger.pid(), 0);
    const pid_t other = launched.other();
    ASSERT_EQ(release(launched, kSecond), DROM_OK) << error_.text;
    EXPECT_EQ(mask_of(launched.program()), kSecond);
    EXPECT_EQ(mask_of(other), kBoth);
}

TEST_F(Launcher, AClientMovesNoProcessOfAStrangerWithItsNumber) {
    NEED_TWO_CPUS();
    NEED_SET_TID();
    const Gate gate;
    Launched launched(path_, kBoth, [&gate](const Shared& words) { follow(gate, words); });
    await([&launched] { return launched.words->ready.load(); });
    EXPECT_EQ(set(launched.program(), kFirst), DROM_PENDING) << error_.text;
    gate.open();
    await([&launched] { return launched.words->releases.load() == 1; });
    const Child stranger = replace_launcher(launched);
    ASSERT_NE(stranger.pid(), 0);
    const pid_t other = launched.other();
    EXPECT_EQ(set(launched.program(), kSecond), DROM_PENDING) << error_.text;
    gate.open();
    await([&launched] { return launched.words->releases.load() == 2; });
    EXPECT_EQ(mask_of(launched.program()), kSecond);
    EXPECT_EQ(mask_of(other), kBoth);
}

}  // namespace
