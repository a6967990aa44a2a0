// SPDX-License-Identifier: BSD-3-Clause
// reshape_cpus_test.cpp - ReSHAPE on a node: growth that pays, growth that is undone and marked, and noise.
#include "policy/node/reshape_cpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "played_node.hpp"

namespace drom::policy {
namespace {

TEST(ReshapeCpus, AProgramThatSaturatesIsGrownPutBackAndMarkedWithinThreeRounds) {
    PlayedNode node({amdahl(0.95)}, 2, "reshape");
    EXPECT_EQ(node.round(), std::vector{2});
    EXPECT_EQ(node.why(), "it may be faster with more");
    EXPECT_EQ(node.round(), std::vector{1});
    EXPECT_EQ(node.why(), "its last CPU brought 0.03 CPUs of work");
    EXPECT_EQ(node.round(), std::vector{1});
    EXPECT_EQ(node.why(), "more CPUs were of no use");
}

TEST(ReshapeCpus, AProgramThatScalesKeepsWhatItGets) {
    PlayedNode node({amdahl(0)}, 2, "reshape");
    node.round();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(node.round(), std::vector{2});
    EXPECT_EQ(node.why(), "too few CPUs are free");
    EXPECT_EQ(node.changes(), 1);
}

TEST(ReshapeCpus, AMarkIsLiftedAfterAWhile) {
    PlayedNode node({amdahl(0.95)}, 2, "reshape:sweet_spot=100");
    for (int i = 0; i < 11; ++i) node.round();
    EXPECT_EQ(node.changes(), 2);
    for (int i = 0; i < 3; ++i) node.round();
    EXPECT_EQ(node.changes(), 4);
    PlayedNode forever({amdahl(0.95)}, 2, "reshape:sweet_spot=inf");
    for (int i = 0; i < 1000; ++i) forever.round();
    EXPECT_EQ(forever.changes(), 2);
}

TEST(ReshapeCpus, AProgramGrowsToWhereItSaturatesAndTheOthersGetTheRest) {
    PlayedNode node({[](int cpus) { return std::min(cpus, 3); }, amdahl(0)}, 16, "reshape");
    for (int i = 0; i < 40; ++i) node.round();
    EXPECT_EQ(node.round(), (std::vector{3, 13}));
}

TEST(ReshapeCpus, GrowthStopsWhereItPromisesTooLittle) {
    PlayedNode node({amdahl(0.1)}, 64, "reshape:min_gain=0");
    for (int i = 0; i < 100; ++i) node.round();
    const int cpus = node.round().front();
    EXPECT_EQ(node.why(), "more CPUs promise too little");
    // Amdahl's slope falls to 0.2 where 1 + 0.1 (n - 1) is the root of 0.9 / 0.2.
    EXPECT_NEAR(cpus, 12, 1);
}

TEST(ReshapeCpus, AnAdviceThatIsNotCarriedOutIsGivenAgain) {
    const auto adviser = std::move(*adviser_of("reshape"));
    NodeView view{{{"p", {}}}, 1, 0};
    view.programs[0].clients.push_back({1, 1, 1, 2, -1000, "", "", {1, 1, 1, 1}});
    for (view.now = 0; view.now < 50; view.now += 10)
        EXPECT_EQ(adviser->advise(view)[0], (Advice{{2}, "it may be faster with more"}));
}

TEST(ReshapeCpus, CpusThatOthersChangedAreANewStart) {
    PlayedNode node({amdahl(0)}, 8, "reshape");
    for (int i = 0; i < 4; ++i) node.round();
    node.set(0, 2);
    EXPECT_EQ(node.round(), std::vector{3});
    EXPECT_EQ(node.why(), "it may be faster with more");
}

TEST(ReshapeCpus, WhatIsHeldOrIdleOrNewDoesNotGrow) {
    PlayedNode held({amdahl(0)}, 8, "reshape");
    held.held = "it is rigid";
    EXPECT_EQ(held.round(), std::vector{1});
    EXPECT_EQ(held.why(), "it is rigid");
    PlayedNode idle({[](int) { return 0; }}, 8, "reshape");
    EXPECT_EQ(idle.round(), std::vector{1});
    EXPECT_EQ(idle.why(), "none of its CPU time is useful");
    PlayedNode node({amdahl(0)}, 8, "reshape");
    EXPECT_EQ(node.round(), std::vector{2});
    EXPECT_EQ(node.round(1), std::vector{2});
    EXPECT_EQ(node.why(), "its CPUs were changed a moment ago");
}

TEST(ReshapeCpus, TheRanksOfAJobGrowTogether) {
    const auto adviser = std::move(*adviser_of("reshape"));
    NodeView view{{{"mpi", {}}}, 3, 0};
    for (int id = 1; id <= 2; ++id) view.programs[0].clients.push_back({id, 2, 1, 8, -1000, "", "", {2, 2, 2, 2}});
    EXPECT_EQ(adviser->advise(view)[0].cpus, (std::vector{3, 3}));
    view.free = 1;
    EXPECT_EQ(adviser->advise(view)[0], (Advice{{2, 2}, "too few CPUs are free"}));
}

TEST(ReshapeCpus, UniformExpandWaitsUntilThereIsRoomForAll) {
    PlayedNode few({amdahl(0), amdahl(0)}, 3, "reshape:scenario=fair-r");
    EXPECT_EQ(few.round(), (std::vector{1, 1}));
    PlayedNode enough({amdahl(0), amdahl(0)}, 4, "reshape:scenario=fair-r");
    EXPECT_EQ(enough.round(), (std::vector{2, 2}));
    PlayedNode fixed({amdahl(0), amdahl(0)}, 4, "reshape:scenario=static");
    EXPECT_EQ(fixed.round(), (std::vector{1, 1}));
    EXPECT_EQ(fixed.why(), "no program grows in this scenario");
}

TEST(ReshapeCpus, NoiseOfFivePercentDoesNotMoveCpusBackAndForth) {
    for (const Speedup& speedup :
         {amdahl(0), amdahl(0.05), amdahl(0.95), Speedup([](int n) { return std::min(n, 3); })}) {
        PlayedNode node({speedup}, 8, "reshape:sweet_spot=inf", 0.05);
        for (int i = 0; i < 1000; ++i) node.round();
        EXPECT_LE(node.changes(), 9);
        const int cpus = node.round().front();
        EXPECT_GE(speedup(cpus), 0.8 * speedup(8));
    }
}

TEST(ReshapeCpus, AScenarioThatDoesNotExistIsRefused) {
    const auto adviser = adviser_of("reshape:scenario=fair");
    ASSERT_FALSE(adviser);
    EXPECT_TRUE(adviser.error().starts_with("scenario 'fair' is no scenario; there are pba-q, fair-q, "))
        << adviser.error();
}

}  // namespace
}  // namespace drom::policy
