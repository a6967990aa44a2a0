// SPDX-License-Identifier: BSD-3-Clause
// liveness_test.cpp - whether a process lives: reused pids, zombies, other users, other programs, other pid namespaces.
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <vector>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "base/process_identity.hpp"
#include "fork_as.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;
using drom::Liveness;
using drom::ProcessIdentity;
using ClientLiveness = WithTable;

/// Kills `child` and starts a stranger under its pid, in another clock tick.
Child reuse(Child& child) {
    const pid_t pid = child.pid();
    child.stop();
    usleep(20'000);
    return Child(fork_as(pid));
}

/// Returns the number of reuses, of some 10 ms each: start times are in ticks of the kernel.
int reuses() {
    const char* text = std::getenv("DROM_LIVENESS_REUSES");
    return text != nullptr ? std::atoi(text) : 1000;
}

TEST(ProcessLiveness, AReusedPidIsAnotherProcess) {
    NEED_SET_TID();
    unsigned reused = 0;
    for (int round = 0; round < reuses(); ++round) {
        Child child = Child::sleeper();
        ProcessIdentity before{};
        ASSERT_TRUE(drom::identify(child.upid(), before));
        drom::KnownProcess known;
        ASSERT_EQ(known.liveness(before), Liveness::kAlive);
        ASSERT_EQ(known.liveness(before), Liveness::kAlive) << "asked again, by the descriptor";
        // The next process of that pid starts in the next tick at the earliest: only the start time distinguishes it.
        const pid_t pid = child.pid();
        child.stop();
        ProcessIdentity after{};
        Child stranger;
        do {
            stranger.stop();
            stranger = Child(fork_as(pid));
            ASSERT_NE(stranger.pid(), 0);
            ASSERT_TRUE(drom::identify(stranger.upid(), after));
            if (after.start == before.start) usleep(1000);
        } while (after.start == before.start);
        ASSERT_EQ(drom::liveness(before), Liveness::kDead) << "round " << round;
        ASSERT_EQ(drom::liveness(after), Liveness::kAlive) << "round " << round;
        ASSERT_EQ(known.liveness(before), Liveness::kDead) << "round " << round;
        ASSERT_EQ(known.liveness(after), Liveness::kAlive) << "round " << round;
        ++reused;
    }
    printf("liveness: %u reused pids, all told apart\n", reused);
}

TEST(ProcessLiveness, AZombieIsDead) {
    const Child child = Child::sleeper();
    ProcessIdentity identity{};
    ASSERT_TRUE(drom::identify(child.upid(), identity));
    child.make_zombie();
    EXPECT_EQ(kill(child.pid(), 0), 0) << "the kernel calls a zombie alive; that is the trap";
    EXPECT_EQ(drom::liveness(identity), Liveness::kDead);
    EXPECT_FALSE(drom::identify(child.upid(), identity));
}

/// Ends the first thread of this process, once another one runs.
void end_first_thread() {
    pthread_t other{};
    pthread_create(
        &other, nullptr,
        [](void*) -> void* {
            for (;;) pause();
        },
        nullptr);
    syscall(SYS_exit, 0);
}

void await_state(pid_t pid, char state) {
    char now = '\0';
    while (now != state) {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        std::string text;
        std::getline(stat, text);
        ASSERT_FALSE(text.empty()) << "the process has ended";
        now = text[text.rfind(')') + 2];
        usleep(1000);
    }
}

TEST(ProcessLiveness, AProcessWhoseFirstThreadHasEndedLives) {
    const Child child = Child::run([] {
        end_first_thread();
        return 1;
    });
    await_state(child.pid(), 'Z');
    ProcessIdentity identity{};
    ASSERT_TRUE(drom::identify(child.upid(), identity)) << "it looks like a zombie; its other thread runs";
    EXPECT_EQ(drom::liveness(identity), Liveness::kAlive);
    child.kill(SIGKILL);
    while (drom::liveness(identity) == Liveness::kAlive) usleep(1000);
    EXPECT_EQ(kill(child.pid(), 0), 0) << "its parent has not waited for it yet";
    EXPECT_EQ(drom::liveness(identity), Liveness::kDead);
}

TEST(ProcessLiveness, AStoppedProcessLives) {
    const Child child = Child::sleeper();
    ProcessIdentity identity{};
    ASSERT_TRUE(drom::identify(child.upid(), identity));
    child.kill(SIGSTOP);
    EXPECT_EQ(drom::liveness(identity), Liveness::kAlive);
}

TEST(ProcessLiveness, AnotherUsersProcessLives) {
    if (geteuid() != 0) DROM_SKIP("becoming another user needs root");
    const Child roots = Child::sleeper();
    ProcessIdentity identity{};
    ASSERT_TRUE(drom::identify(roots.upid(), identity));
    Child other = Child::run([&] {
        if (setresuid(65534, 65534, 65534) != 0) return 9;
        if (kill(roots.pid(), 0) == 0 || errno != EPERM) return 8;
        return drom::liveness(identity) == Liveness::kAlive ? 0 : 1;
    });
    EXPECT_EQ(other.wait(), 0);
}

TEST(ProcessLiveness, ExecKeepsTheProcess) {
    Gate gate;
    Child child = Child::run([&] {
        gate.pass();
        execlp("sleep", "sleep", "60", nullptr);
        return 1;
    });
    ProcessIdentity identity{};
    ASSERT_TRUE(drom::identify(child.upid(), identity));
    gate.open();
    char name[32] = {};
    for (int i = 0; i < 60'000 && std::strcmp(name, "sleep\n") != 0; ++i) {
        usleep(1000);
        FILE* comm = fopen(("/proc/" + std::to_string(child.pid()) + "/comm").c_str(), "r");
        if (comm == nullptr) continue;
        if (fgets(name, sizeof name, comm) == nullptr) name[0] = '\0';
        fclose(comm);
    }
    EXPECT_EQ(drom::liveness(identity), Liveness::kAlive);
}

TEST(ProcessLiveness, AnotherPidNamespaceCannotBeJudged) {
    if (geteuid() != 0) DROM_SKIP("a pid namespace needs root");
    const Child outside = Child::sleeper();
    ProcessIdentity identity{};
    ASSERT_TRUE(drom::identify(outside.upid(), identity));
    Child inside = Child::run([&] {
        if (unshare(CLONE_NEWPID) != 0) return 77;
        Child first = Child::run([&] {
            // Pids have another meaning here: neither alive nor dead, and never reaped.
            return drom::liveness(identity) == Liveness::kUnknown && getpid() == 1 ? 0 : 1;
        });
        return first.wait();
    });
    const int code = inside.wait();
    if (code == 77) DROM_SKIP("this container allows no pid namespace");
    EXPECT_EQ(code, 0);
}

TEST_F(ClientLiveness, AClientOfAnotherPidNamespaceIsNeverReaped) {
    if (geteuid() != 0) DROM_SKIP("a pid namespace needs root");
    const Child here = reserve(0x3);
    Child inside = Child::run([&] {
        if (unshare(CLONE_NEWPID) != 0) return 77;
        Child first = Child::run([&] {
            drom_table* table = nullptr;
            drom_error error{};
            const drom_options plain = options_with(0);
            if (drom_open(&table, path_.c_str(), &plain, &error) != DROM_OK) return 2;
            usleep(150'000);  // longer than the reaper's period
            return drom_check(table, &plain, &error) < 0 ? 3 : 0;
        });
        return first.wait();
    });
    const int code = inside.wait();
    if (code == 77) DROM_SKIP("this container allows no pid namespace");
    EXPECT_EQ(code, 0);
    EXPECT_EQ(wanted(here.pid()), 0x3U);
}

/// Starts a process that joins the table by itself and waits.
Child joiner(const std::string& path, uint64_t mask, const Gate& joined) {
    return Child::run([&] {
        setenv("DROM_TABLE", path.c_str(), 1);
        drom::CpuSet cpus{};
        cpus.words[0] = mask;
        const drom::client::JoinOptions options{&cpus, DROM_ENTRY_EXPLICIT, false, "joiner", nullptr, 1, 0, false};
        const int status = drom::client::join(options, nullptr);
        joined.open();
        if (status != DROM_OK) return 1;
        for (;;) pause();
        return 0;
    });
}

/// Runs `body` in a time namespace that is 100,000 s and part of a clock tick ahead; returns 77 where there is none.
int in_time_namespace(const std::function<int()>& body) {
    Child outer = Child::run([&] {
        if (unshare(CLONE_NEWTIME) != 0) return 77;
        std::ofstream offsets("/proc/self/timens_offsets");
        if (!(offsets << "monotonic 100000 3000000\nboottime 100000 3000000\n" << std::flush)) return 77;
        return Child::run(body).wait();
    });
    return outer.wait();
}

class TimeNamespace : public WithTable {
protected:
    void SetUp() override {
        const int code = in_time_namespace([] { return 0; });
        if (code != 0) DROM_SKIP("a time namespace needs root and Linux 5.6");
        WithTable::SetUp();
    }
    [[nodiscard]] int check_inside() const {
        return in_time_namespace([&] {
            drom_table* table = nullptr;
            drom_error error{};
            const drom_options plain = options_with(0);
            if (drom_open(&table, path_.c_str(), &plain, &error) != DROM_OK) return 2;
            return drom_check(table, &plain, &error) < 0 ? 3 : 0;
        });
    }
    int check() {
        const drom_options plain = options_with(0);
        return drom_check(table_, &plain, &error_);
    }
    uint64_t free_cpus() {
        uint64_t mask = 0;
        EXPECT_EQ(drom_table_masks(table_, nullptr, &mask, nullptr, 1, &error_), DROM_OK) << error_.text;
        return mask;
    }
};

TEST_F(TimeNamespace, AClientInOneIsNotTakenForDead) {
    Gate joined;
    Gate seen;
    Gate left;
    Child launcher = Child::run([&] {
        return in_time_namespace([&] {
            Child client = joiner(path_, 0x3, joined);
            seen.pass();
            client.stop();
            left.open();
            pause();
            return 0;
        });
    });
    joined.pass();
    EXPECT_GE(check(), 0) << error_.text;
    EXPECT_EQ(free_cpus(), 0xfcU) << "its CPUs were given away";
    seen.open();
    left.pass();
    EXPECT_GE(check(), 0) << error_.text;
    EXPECT_EQ(free_cpus(), 0xffU) << "it is dead now";
}

TEST_F(TimeNamespace, AnAdministratorInOneReapsNoClient) {
    Gate joined;
    const Child client = joiner(path_, 0x3, joined);
    joined.pass();
    const Child reserved = reserve(0x4);
    EXPECT_EQ(check_inside(), 0);
    EXPECT_EQ(wanted(client.pid()), 0x3U);
    EXPECT_EQ(wanted(reserved.pid()), 0x4U);
}

/// Dead clients were not looked for outside until the clock there had come as far as the one inside.
TEST_F(TimeNamespace, AnAdministratorInOneDoesNotStopTheReaperOutside) {
    EXPECT_EQ(check_inside(), 0);
    Gate joined;
    Child client = joiner(path_, 0x3, joined);
    joined.pass();
    client.stop();
    usleep(300'000);  // longer than the reaper's period
    const Child other = reserve(0x4);
    EXPECT_EQ(free_cpus(), 0xfbU) << "no administrator looked for the dead";
}

TEST_F(TimeNamespace, AWaitInOneEndsInTime) {
    EXPECT_EQ(in_time_namespace([&] {
                  const Child client = reserve(0x3);
                  drom_options options = options_with(DROM_WAIT_RELEASED | DROM_NEVER_CONFINE);
                  options.timeout_ms = 200;
                  const uint64_t mask = 0x1;
                  const uint64_t before = drom::now_ns();
                  if (drom_set_mask(table_, client.pid(), &mask, 1, &options, &error_) != DROM_PENDING) return 1;
                  const uint64_t took = drom::now_ns() - before;
                  return took >= 200 * drom::kMillisecond ? 0 : 2;
              }),
              0);
}

TEST_F(ClientLiveness, TheCpusOfAKilledClientAreFreeAtTheNextCall) {
    Gate joined;
    Child client = joiner(path_, 0x3, joined);
    joined.pass();
    const Child other = reserve(0x4);
    EXPECT_EQ(set(other.pid(), 0x7), DROM_E_BUSY);
    client.stop();
    usleep(150'000);
    EXPECT_GE(set(other.pid(), 0x7), 0) << error_.text;
}

TEST_F(ClientLiveness, AZombieClientKeepsNothing) {
    Gate joined;
    const Child client = joiner(path_, 0x3, joined);
    joined.pass();
    client.make_zombie();
    const drom_options plain = options_with(0);
    EXPECT_EQ(drom_check(table_, &plain, &error_), DROM_OK) << error_.text;
    uint64_t unowned = 0;
    ASSERT_EQ(drom_table_masks(table_, nullptr, &unowned, nullptr, 1, nullptr), DROM_OK);
    EXPECT_EQ(unowned, 0xffU);
}

TEST_F(ClientLiveness, AStrangerUnderAClientsPidIsNeitherMovedNorCounted) {
    NEED_SET_TID();
    Gate joined;
    Child client = joiner(path_, 0x3, joined);
    joined.pass();
    const Child stranger = reuse(client);
    ASSERT_NE(stranger.pid(), 0);
    drom::CpuSet before{};
    drom::get_affinity(stranger.upid(), before);
    drom_options options = options_with(DROM_WAIT_RELEASED);
    options.grace_ms = DROM_GRACE_AT_ONCE;
    options.timeout_ms = 200;
    const uint64_t mask = 0x1;
    EXPECT_EQ(drom_set_mask(table_, stranger.pid(), &mask, 1, &options, &error_), DROM_E_NOPROC) << error_.text;
    drom::CpuSet after{};
    drom::get_affinity(stranger.upid(), after);
    EXPECT_EQ(before, after) << "a stranger was confined";
    const drom_options plain = options_with(0);
    drom_check(table_, &plain, nullptr);
    size_t count = 0;
    drom_clients(table_, nullptr, &count, nullptr);
    EXPECT_EQ(count, 0U);
}

TEST_F(ClientLiveness, TheStrangerMayBecomeAClientOfItsOwn) {
    NEED_SET_TID();
    Gate joined;
    Child client = joiner(path_, 0x3, joined);
    joined.pass();
    const Child stranger = reuse(client);
    ASSERT_NE(stranger.pid(), 0);
    const uint64_t mask = 0xc;
    const drom_options plain = options_with(0);
    EXPECT_GE(drom_reserve(table_, stranger.pid(), &mask, 1, &plain, nullptr, &error_), 0) << error_.text;
    EXPECT_EQ(wanted(stranger.pid()), 0xcU);
}

/// Makes the calling process a client of CPUs 0 and 1.
bool join_with_two_cpus() {
    drom::CpuSet cpus = drom::CpuSet::range(0, 2);
    const drom::client::JoinOptions options{&cpus, DROM_ENTRY_EXPLICIT, false, "parent", nullptr, 1, 0, false};
    return drom::client::join(options, nullptr) == DROM_OK;
}

TEST_F(ClientLiveness, AForkedChildOwnsAndLosesNothing) {
    Gate joined;
    Gate asked;
    Child client = Child::run([&] {
        setenv("DROM_TABLE", path_.c_str(), 1);
        if (!join_with_two_cpus()) return 1;
        joined.open();
        asked.pass();
        Child forked = Child::run([] {
            // No call of the child makes it the client.
            drom::Request wanted{};
            if (drom::client::joined() || drom::client::newest(wanted)) return 1;
            drom::client::acknowledge_resize(1, 1, DROM_RESIZE_CALLER, "not mine");
            return drom::client::leave(nullptr) == DROM_E_NOINIT ? 0 : 2;
        });
        const int code = forked.wait();
        drom::Request wanted{};
        return code == 0 && drom::client::newest(wanted) && wanted.mask.words[0] == 1 ? 0 : 10 + code;
    });
    joined.pass();
    EXPECT_EQ(set(client.pid(), 0x1), DROM_PENDING);
    asked.open();
    EXPECT_EQ(client.wait(), 0);
}

/// Starts a child that has this process's memory and dies while it sets its affinity.
void kill_child_that_sets_its_affinity() {
    const pid_t child = vfork();
    if (child == 0) {
        drom::client::set_allowed([](const drom::Request&) {
            ::kill(getpid(), SIGKILL);
            return 0;
        });
        _exit(1);
    }
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
}

TEST_F(ClientLiveness, AClientReleasesAfterItsVforkedChildWasKilledSettingItsAffinity) {
    Gate joined;
    Gate asked;
    Child client = Child::run([&] {
        setenv("DROM_TABLE", path_.c_str(), 1);
        if (!join_with_two_cpus()) return 1;
        kill_child_that_sets_its_affinity();
        joined.open();
        asked.pass();
        drom::Request wanted{};
        if (!drom::client::newest(wanted)) return 2;
        return drom::client::release(wanted) && drom::client::released().seq == wanted.seq ? 0 : 3;
    });
    joined.pass();
    EXPECT_EQ(set(client.pid(), 0x1), DROM_PENDING);
    asked.open();
    EXPECT_EQ(client.wait(), 0);
}

}  // namespace
