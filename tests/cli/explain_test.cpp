// SPDX-License-Identifier: BSD-3-Clause
// explain_test.cpp - what is said about a client, from facts.
#include "verbs/explain.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "output/format.hpp"

namespace {

using namespace drom::command;
using drom::CpuSet;

/// Returns the explanation of a live OpenMP client that owns CPUs 0-1, with 2 threads, resized to request 3.
Explanation settled() {
    Explanation it;
    auto& info = it.client.info;
    info.pid = 4242;
    std::strcpy(info.name, "sim");
    info.state = DROM_CLIENT_LIVE;
    info.entry_points = DROM_ENTRY_KMP | DROM_ENTRY_ASYNC;
    info.request_seq = info.released_seq = info.resized_seq = 3;
    info.posted_ns = 1'000'000;
    info.released_ns = 1'063'000;
    info.resize = DROM_RESIZE_FOLLOWS;
    info.team_size = info.start_size = 2;
    it.client.owned = it.client.wanted = CpuSet{0, 1};
    it.threads = {{4242, "sim", 'R', 0, {0, 1}, 0.9, 0}, {4243, "sim", 'R', 1, {0, 1}, 0.9, 0}};
    it.safe_points_per_s = 900;
    it.now_ns = 2'000'000'000;
    return it;
}

std::string told(Explanation it) {
    conclude(it);
    return joined(it.sentences, "\n");
}

testing::AssertionResult says(const Explanation& it, const std::string& text) {
    const std::string all = told(it);
    return all.find(text) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << all;
}

TEST(Explain, AClientThatFollowsNeedsNoExcuse) {
    EXPECT_TRUE(says(settled(), "Entry points: kmp, async."));
    EXPECT_TRUE(says(settled(), "Request 3 (CPUs 0-1) is released after 63 us, by the client itself."));
    EXPECT_TRUE(says(settled(), "The number of threads follows the CPUs: 2 threads now, 2 at its start."));
    EXPECT_EQ(told(settled()).find("share"), std::string::npos);
}

TEST(Explain, ProcessesThatAreMovedWithTheClientAreNamed) {
    Explanation it = settled();
    EXPECT_EQ(told(it).find("descendant"), std::string::npos);
    it.descendants = {"4250 (make)"};
    EXPECT_TRUE(says(it, "It is 1 process and 1 descendant, which are moved with it: 4250 (make)."));
    it.descendants.resize(10, "4251 (cc)");
    EXPECT_TRUE(says(it, "It is 1 process and 10 descendants"));
    EXPECT_TRUE(says(it, "4251 (cc) and 2 more."));
}

TEST(Explain, ADescendantOfAnotherUserIsNotSaidToBeMovedAndIsTheReason) {
    Explanation it = settled();
    it.not_moved = {"4250 (ping)"};
    EXPECT_TRUE(says(it, "Not moved, because it runs with another user's rights: 1 descendant (4250 (ping))."));
    EXPECT_EQ(told(it).find("moved with it"), std::string::npos);
    it.client.info.request_seq = 4;
    it.client.info.state = DROM_CLIENT_RESERVED;
    EXPECT_TRUE(
        says(it, "and not released: its descendant 4250 (ping) cannot be moved: it runs with another user's rights;"));
    it.client.info.state = DROM_CLIENT_LIVE;
    std::strcpy(it.client.info.why, "its descendant 4250 cannot be moved: permission denied");
    EXPECT_TRUE(says(it, "and not released: its descendant 4250 cannot be moved: permission denied."));
}

TEST(Explain, ARequestThatTheCpusetAllowsNothingOfIsSaidToBeThat) {
    Explanation it = settled();
    it.client.info.request_seq = 4;
    std::strcpy(it.client.info.why, "its cpuset allows no CPU of request 4");
    EXPECT_TRUE(says(it, "and not released: its cpuset allows no CPU of request 4."));
}

TEST(Explain, AThreadOfSchedDeadlineIsNamedWhereItHoldsARequest) {
    Explanation it = settled();
    it.threads[1].deadline = true;
    EXPECT_EQ(told(it).find("SCHED_DEADLINE"), std::string::npos);
    it.client.info.request_seq = 4;
    EXPECT_TRUE(says(it,
                     "and not released: the kernel moves no thread of SCHED_DEADLINE, as its thread 4243 (sim) is; "
                     "give that another policy (chrt --other --pid 0 4243), then use drom wait."));
}

TEST(Explain, WhyARequestIsNotReleased) {
    Explanation it = settled();
    it.client.info.request_seq = 4;
    EXPECT_TRUE(says(it, "Request 4 (CPUs 0-1) is posted, 2 s ago, and not released: its agent has not answered yet"));
    it.client.info.entry_points = DROM_ENTRY_KMP;
    EXPECT_TRUE(says(it, "it has no agent thread (DROM_ASYNC=0, or a single thread) and passes no safe point"));
    it.threads[0].state = 'T';
    EXPECT_TRUE(says(it, "the process is stopped"));
    it.threads.clear();
    EXPECT_TRUE(says(it, "the process cannot be looked at"));
}

TEST(Explain, WhoReleasedIt) {
    Explanation it = settled();
    it.client.info.confined_seq = 3;
    it.client.info.released_ns = it.client.info.posted_ns + 42'000;
    EXPECT_TRUE(says(it, "after 42 us, by confinement from outside, at once: the client was not waited for."));
    it.client.info.released_ns = it.client.info.posted_ns + 20'000'000;
    EXPECT_TRUE(says(it, "by confinement from outside: the client did not answer in time"));
    it.client.info.limited = 1;
    EXPECT_TRUE(says(it, "The cpuset (cgroup) of the process allows less than that"));
}

TEST(Explain, WhyItIsNotResizedAndWhatThatCosts) {
    Explanation it = settled();
    it.client.owned = it.client.wanted = CpuSet{0};
    it.client.info.resize = DROM_RESIZE_HELD;
    std::strcpy(it.client.info.why, "the program kept an answer");
    EXPECT_TRUE(says(it, "The number of threads is held at 2: the program kept an answer."));
    EXPECT_TRUE(says(it, "2 threads share 1 CPU. With regions of a millisecond or more that costs 1 to 7 %"));
    it.safe_points_per_s = 40'000;
    EXPECT_TRUE(says(it, "With 40000 regions a second that costs about twice the time"));
    it.client.info.resize = DROM_RESIZE_KEEPS;
    EXPECT_TRUE(says(it, "The number of threads stays "));
    it.client.info.resize = DROM_RESIZE_FOLLOWS;
    it.client.info.resized_seq = 2;
    it.safe_points_per_s = 0;
    EXPECT_TRUE(says(it, "but not yet for this request (2 threads now, 2 at its start): no region has begun since"));
}

TEST(Explain, AProgramThatWaitsActivelyForItsOwnThreadsIsRecognised) {
    Explanation it = settled();
    it.client.owned = it.client.wanted = CpuSet{0};
    it.safe_points_per_s = 0;
    for (auto& thread : it.threads) thread.busy = 0.49, thread.preempted = 25;
    conclude(it);
    EXPECT_TRUE(it.spins);
    EXPECT_NE(joined(it.sentences, "\n").find("start it with drom run --rigid"), std::string::npos);

    Explanation alone = settled();
    alone.safe_points_per_s = 0;  // one long region on CPUs of its own
    conclude(alone);
    EXPECT_FALSE(alone.spins);
}

TEST(Explain, AClientThatCameBackDuringTheSampleHasNotPassedAllSafePointsOfTheWorld) {
    drom_client_info before{};
    before.slot = 3;
    before.generation = 7;
    before.safe_points = 1000;
    drom_client_info after = before;
    after.safe_points = 1500;
    EXPECT_DOUBLE_EQ(safe_points_per_s(before, after, 0.5), 1000);
    after.safe_points = 40;  // the same reservation, and a program that has just begun to count
    EXPECT_DOUBLE_EQ(safe_points_per_s(before, after, 0.5), 80);
    after.safe_points = 1500;  // another slot, or its next user
    ++after.generation;
    EXPECT_DOUBLE_EQ(safe_points_per_s(before, after, 0.5), 3000);
    after = before;
    ++after.slot;
    EXPECT_DOUBLE_EQ(safe_points_per_s(before, after, 0.5), 2000);
    EXPECT_DOUBLE_EQ(safe_points_per_s(before, before, 0.5), 0);
    EXPECT_DOUBLE_EQ(safe_points_per_s(before, after, 0), 0);
}

TEST(Explain, StraysAndLaunchersAreNamed) {
    Explanation it = settled();
    it.threads[1].allowed = CpuSet{1, 5};
    it.client.info.launcher_pid = 4200;
    EXPECT_TRUE(says(it, "Thread 4243 (sim) may run on CPU 5, which the client does not have."));
    EXPECT_TRUE(says(it, "launched by process 4200 (drom run)"));
}

TEST(Explain, ThreadsThatNoProgramResizesAreSaidToBeThere) {
    Explanation pool = settled();
    pool.pools = {"oneTBB", "OpenBLAS"};
    EXPECT_TRUE(says(pool, "Not resized: the threads of oneTBB and OpenBLAS; they share the CPUs that are left."));
    pool.client.info.resize = DROM_RESIZE_CALLER;
    EXPECT_EQ(told(pool).find("Not resized"), std::string::npos);

    Explanation nested = settled();
    nested.client.owned = nested.client.wanted = CpuSet{0};
    nested.client.info.team_size = 1;
    nested.threads = {
        {4242, "sim", 'R', 0, {0}, 0.5, 0}, {4243, "sim", 'R', 0, {0}, 0, 0}, {4244, "drom", 'R', 0, {0}, 0, 0}};
    EXPECT_TRUE(says(nested, "Not resized: 1 thread at work besides its team"));
    nested.client.info.resized_seq = 2;  // they may be those of a team that has not followed yet
    EXPECT_EQ(told(nested).find("Not resized"), std::string::npos);
    EXPECT_EQ(told(settled()).find("Not resized"), std::string::npos);
}

TEST(Explain, AProcessWithoutEntryPointsIsReachedFromOutside) {
    Explanation it = settled();
    it.client.info.state = DROM_CLIENT_RESERVED;
    it.client.info.entry_points = 0;
    EXPECT_TRUE(says(it, "No entry point has answered: the process has not joined. It is reached from outside only"));
    EXPECT_TRUE(
        says(it, "Not resized: it has no OpenMP runtime that an entry point reaches, or has opened no region yet"));
    it.threads.clear();  // it has ended, or belongs to another user
    EXPECT_EQ(told(it).find("Not resized"), std::string::npos);
}

}  // namespace
