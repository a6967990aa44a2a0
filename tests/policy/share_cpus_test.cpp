// SPDX-License-Identifier: BSD-3-Clause
// share_cpus_test.cpp - programs that share a node: the best division is reached, kept beside noise, and corrected
// where Amdahl's law is wrong.
#include "policy/node/share_cpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "played_node.hpp"

namespace drom::policy {
namespace {

double slowdowns(const std::vector<Speedup>& programs, const std::vector<int>& cpus, int all) {
    double sum = 0;
    for (std::size_t i = 0; i < programs.size(); ++i) sum += programs[i](all) / programs[i](cpus[i]);
    return sum;
}

/// Returns the lowest sum of two slowdowns, of all divisions that leave each program a quarter of the CPUs.
double best_of_two(const std::vector<Speedup>& programs, int all) {
    double best = 1e9;
    for (int first = all / 4; first <= all - all / 4; ++first)
        best = std::min(best, slowdowns(programs, {first, all - first}, all));
    return best;
}

std::vector<int> after(PlayedNode& node, int rounds) {
    for (int i = 1; i < rounds; ++i) node.round();
    return node.round();
}

TEST(ShareCpus, AProgramThatGainsLittleGivesCpusToOneThatScales) {
    PlayedNode node({amdahl(0.3), amdahl(0)}, 16, "share");
    node.set(0, 8);
    node.set(1, 8);
    EXPECT_EQ(node.round(), (std::vector{7, 9}));
    EXPECT_EQ(node.why(0), "with CPUs of it for p1 the sum of all slowdowns would fall by 6 %");
    EXPECT_EQ(node.why(1), "with CPUs of p0 the sum of all slowdowns would fall by 6 %");
    after(node, 20);
    EXPECT_EQ(node.why(0), "no move of CPUs would lower the sum of all slowdowns by more than 2 %");
}

TEST(ShareCpus, TheSumOfSlowdownsComesCloseToTheLowestForAnyTwoPrograms) {
    for (const double first : {0.0, 0.02, 0.1, 0.5, 0.9})
        for (const double second : {0.0, 0.05, 0.3, 1.0})
            for (const int start : {4, 8, 12}) {
                const std::vector<Speedup> programs{amdahl(first), amdahl(second)};
                PlayedNode node(programs, 16, "share");
                node.set(0, start);
                node.set(1, 16 - start);
                const std::vector<int> end = after(node, 40);
                EXPECT_EQ(end[0] + end[1], 16);
                EXPECT_GE(std::min(end[0], end[1]), 4);
                EXPECT_LE(slowdowns(programs, end, 16), best_of_two(programs, 16) * 1.06) << first << ' ' << second;
            }
}

TEST(ShareCpus, AMoveThatMadeItWorseIsUndoneAndNotMadeAgainForAWhile) {
    // Amdahl's law through 8 CPUs promises that the first loses little.
    const std::vector<Speedup> programs{[](int cpus) { return cpus < 8 ? 0.5 : 4.0; }, amdahl(0)};
    PlayedNode node(programs, 16, "share");
    node.set(0, 8);
    node.set(1, 8);
    EXPECT_EQ(node.round(), (std::vector{7, 9}));
    EXPECT_EQ(node.round(), (std::vector{8, 8}));
    const int changes = node.changes();
    EXPECT_EQ(after(node, 55), (std::vector{8, 8}));
    EXPECT_EQ(node.changes(), changes);
    after(node, 10);
    EXPECT_GT(node.changes(), changes) << "programs have phases";
}

TEST(ShareCpus, NoiseDoesNotMoveCpusBackAndForth) {
    const std::pair<const char*, double> cases[]{
        {"share", 0.05}, {"share:min_gain=0", 0.05}, {"share:min_gain=0", 0.4}};
    for (const auto& [policy, noise] : cases) {
        PlayedNode node({amdahl(0.1), amdahl(0.1)}, 16, policy, noise);
        node.set(0, 8);
        node.set(1, 8);
        EXPECT_EQ(after(node, 1000), (std::vector{8, 8}));
        EXPECT_EQ(node.changes(), 2) << policy << ' ' << noise;
    }
}

TEST(ShareCpus, FreeCpusGoWhereTheyHelpMost) {
    PlayedNode node({amdahl(0.5), amdahl(0)}, 8, "share");
    node.set(0, 3);
    node.set(1, 3);
    EXPECT_EQ(node.round(), (std::vector{3, 4}));
    EXPECT_EQ(node.why(1), "with free CPUs the sum of all slowdowns would fall by 17 %");
    EXPECT_EQ(node.why(0), "another move of CPUs helps more");
    EXPECT_EQ(node.round(), (std::vector{3, 5}));
}

TEST(ShareCpus, AProgramKeepsItsPartOfAnEqualShare) {
    PlayedNode node({amdahl(1), amdahl(0)}, 16, "share:min_share=0.75");
    node.set(0, 8);
    node.set(1, 8);
    EXPECT_EQ(after(node, 30), (std::vector{6, 10}));
    PlayedNode none({amdahl(1), amdahl(0)}, 16, "share:min_share=0");
    none.set(0, 8);
    none.set(1, 8);
    EXPECT_EQ(after(none, 30)[0], 1) << "its minimum";
}

TEST(ShareCpus, AProgramThatSleepsLendsUntilItWakes) {
    bool sleeps = true;
    PlayedNode node({[&](int cpus) { return sleeps ? 0.0 : cpus; }, amdahl(0)}, 16, "share");
    node.set(0, 8);
    node.set(1, 8);
    EXPECT_EQ(after(node, 30), (std::vector{4, 12}));
    sleeps = false;
    after(node, 100);
    EXPECT_NEAR(node.round()[0], 8, 1);
}

TEST(ShareCpus, OneThatHasLessThanItsPartMayTake) {
    PlayedNode node({amdahl(0), amdahl(0)}, 16, "share");
    node.set(0, 1);
    node.set(1, 15);
    const std::vector<int> end = after(node, 30);
    EXPECT_GE(end[0], 4);
    EXPECT_EQ(end[0] + end[1], 16);
}

TEST(ShareCpus, ProgramsThatAreHeldOrChangedAMomentAgoKeepTheirCpus) {
    PlayedNode node({amdahl(0.9), amdahl(0)}, 16, "share:min_gap=60");
    node.set(0, 8);
    node.set(1, 8);
    EXPECT_EQ(node.round(10), (std::vector{8, 8}));
    EXPECT_EQ(node.why(), "its CPUs were changed a moment ago");
    node.held = "it is rigid";
    EXPECT_EQ(node.round(100), (std::vector{8, 8}));
    EXPECT_EQ(node.why(), "it is rigid");
}

TEST(ShareCpus, StepsAreMovedWhole) {
    PlayedNode node({amdahl(0.9), amdahl(0)}, 16, "share:step=2");
    node.set(0, 8);
    node.set(1, 8);
    EXPECT_EQ(node.round(), (std::vector{6, 10}));
    EXPECT_EQ(after(node, 20), (std::vector{4, 12}));
}

TEST(ShareCpus, OneProgramAloneHasNoOneToShareWith) {
    PlayedNode node({amdahl(0.1)}, 1, "share");
    EXPECT_EQ(node.round(), std::vector{1});
    EXPECT_EQ(node.why(), "no CPU can move");
}

TEST(SpeedCurve, UsefulCpusGiveAmdahlsLawByThemselves) {
    SpeedCurve curve;
    EXPECT_EQ(curve.speed(4), 0);
    EXPECT_EQ(curve.error(4), 1);
    curve.add(8, amdahl(0.1)(8), 0);
    for (const int cpus : {1, 2, 8, 16, 48}) EXPECT_NEAR(curve.speed(cpus), amdahl(0.1)(cpus), 1e-9) << cpus;
    curve.add(12, 3, 50);
    EXPECT_DOUBLE_EQ(curve.speed(12), 3) << "what was seen counts more than a law";
    curve.forget_before(10);
    EXPECT_NEAR(curve.speed(8), SpeedCurve(curve).speed(8), 0);
    EXPECT_LT(curve.speed(8), 3);
}

TEST(SpeedCurve, AProgramOfOneCpuThatWaitsIsThoughtToScale) {
    SpeedCurve curve;
    curve.add(1, 0.4, 0);
    EXPECT_DOUBLE_EQ(curve.speed(2), 0.8);
    curve.add(4, 0.5, 0);
    EXPECT_DOUBLE_EQ(curve.speed(8), 0.5) << "it has no use for more than one";
}

}  // namespace
}  // namespace drom::policy
