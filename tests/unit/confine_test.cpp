// SPDX-License-Identifier: BSD-3-Clause
// confine_test.cpp - the mask a thread gets when its process's mask changes.
#include "base/confine.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include "base/clock.hpp"
#include "call_filter.h"
#include "drom/drom.h"
#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;

CpuSet any_mask() {
    CpuSet mask{};
    for (uint32_t bits = *rc::gen::inRange(0U, 256U), cpu = 0; cpu < 8; ++cpu)
        if ((bits >> cpu & 1) != 0) mask.add(cpu);
    return mask;
}

CpuSet any_cpus() {
    CpuSet mask = any_mask();
    mask.add(*rc::gen::inRange(0U, 8U));
    return mask;
}

TEST(Follow, AThreadIsNeverOutsideTheMaskNorWithoutACpu) {
    EXPECT_TRUE(holds("inside", [] {
        const CpuSet now = any_cpus();
        const CpuSet target = follow(any_mask(), {any_mask(), any_mask()}, now);
        RC_ASSERT(now.contains(target));
        RC_ASSERT(!target.none());
    }));
}

TEST(Follow, AThreadThatHadEverythingGetsEverything) {
    EXPECT_TRUE(holds("follows", [] {
        const Origin origin{any_cpus(), any_cpus()};
        const CpuSet now = any_cpus();
        RC_ASSERT(follow(origin.released, origin, now) == now);
        RC_ASSERT(follow(origin.begun, origin, now) == now);
    }));
}

TEST(Follow, AThreadThatTheProgramBoundStaysBoundWhereItCan) {
    EXPECT_TRUE(holds("keeps", [] {
        const Origin origin{any_cpus(), any_cpus()};
        const CpuSet now = any_cpus();
        const CpuSet thread = any_cpus();
        if (thread == origin.released || thread == origin.begun) return;
        const CpuSet target = follow(thread, origin, now);
        RC_ASSERT(target == (thread.intersects(now) ? thread & now : now));
    }));
}

TEST(Follow, OnceIsEnough) {
    EXPECT_TRUE(holds("idempotent", [] {
        const CpuSet now = any_cpus();
        const CpuSet once = follow(any_cpus(), {any_cpus(), any_cpus()}, now);
        RC_ASSERT(follow(once, {now, now}, now) == once);
    }));
}

TEST(Follow, WhereCpusAreLostTwiceIsAsGoodAsOnce) {
    EXPECT_TRUE(holds("first strike", [] {
        const CpuSet before = any_cpus();
        const CpuSet now = any_cpus();
        if (now.contains(before)) return;  // clear_off() does nothing then
        const Origin origin{before, before};
        const CpuSet once = follow(any_cpus(), origin, now);
        RC_ASSERT(follow(once, origin, now) == once);
    }));
}

TEST(Confine, AThreadThatANewerRequestHasMovedIsNotLetOutAgainNotEvenForAMoment) {
    CpuSet all{};
    ASSERT_TRUE(get_affinity(0, all));
    if (all.count() < 2) GTEST_SKIP() << "one CPU only";
    CpuSet one{};
    one.add(all.first());
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    const auto pid = static_cast<uint32_t>(child);
    ASSERT_EQ(set_affinity(pid, one), 0);
    const std::atomic<uint64_t> newest{2};
    std::atomic<bool> ends{false};
    uint64_t outside = 0;
    std::thread watcher([&] {
        CpuSet mask{};
        while (!ends) outside += get_affinity(pid, mask) && !(mask == one) ? 1U : 0U;
    });
    for (int i = 0; i < 2000; ++i) confine(pid, {all, all, &newest, 1}, all, deadline_in_ms(1000));
    ends = true;
    watcher.join();
    EXPECT_EQ(outside, 0U);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST(ClearOff, MovesKnownThreadsAndNoOthers) {
    CpuSet all{};
    ASSERT_TRUE(get_affinity(0, all));
    if (all.count() < 2) GTEST_SKIP() << "one CPU only";
    CpuSet one{};
    one.add(all.first());
    const pid_t other = fork();
    if (other == 0) {
        pause();
        _exit(0);
    }
    KnownThreads known{};
    note_threads(known);
    ASSERT_GE(known.count, 1U);
    known.tids[known.count++] = static_cast<uint32_t>(other);  // as if a thread of this process had had that number
    clear_off(known, {all, all}, one);
    CpuSet mine{};
    CpuSet others{};
    EXPECT_TRUE(get_affinity(0, mine) && get_affinity(static_cast<uint32_t>(other), others));
    EXPECT_TRUE(mine == one);
    EXPECT_TRUE(others == all);
    EXPECT_EQ(set_affinity(0, all), 0);
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
}

/// Returns what confine() says in a process behind filter_call(), to which it cannot do anything; -100: no filter.
int confined_behind(uint32_t call, uint32_t code, const CpuSet& all, const CpuSet& one) {
    const pid_t child = fork();
    if (child == 0) {
        if (filter_call(call, code) != 0) _exit(100);
        _exit(-confine(0, {all, all}, one, deadline_in_ms(20)).status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? -WEXITSTATUS(status) : 1;
}

TEST(Confine, AThreadThatAFilterOfSystemCallsKeepsOnItsCpuIsNotCalledConfined) {
    CpuSet all{};
    ASSERT_TRUE(get_affinity(0, all));
    if (all.count() < 2) GTEST_SKIP() << "one CPU only";
    CpuSet one{};
    one.add(all.first());
    ASSERT_EQ(confined_behind(SYS_personality, EPERM, all, one), DROM_OK) << "a filter that concerns nothing";
    EXPECT_EQ(confined_behind(SYS_sched_getaffinity, EPERM, all, one), DROM_E_PERM);
    EXPECT_EQ(confined_behind(SYS_sched_getaffinity, 0, all, one), DROM_E_OS);
    EXPECT_EQ(confined_behind(SYS_sched_setaffinity, EPERM, all, one), DROM_E_PERM);
    EXPECT_EQ(confined_behind(SYS_sched_setaffinity, 0, all, one), DROM_E_TIMEOUT);
    EXPECT_EQ(confined_behind(SYS_getdents64, EPERM, all, one), DROM_E_OS);
    EXPECT_EQ(confined_behind(SYS_getdents64, 0, all, one), DROM_E_OS) << "an empty list";
}

}  // namespace
