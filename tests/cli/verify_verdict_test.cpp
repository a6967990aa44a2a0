// SPDX-License-Identifier: BSD-3-Clause
// verify_verdict_test.cpp - what drom verify concludes from its runs, and what it must not conclude.
#include "program/verify_verdict.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace drom::command {

namespace {

/// Returns a mode with one trial per CPU time, each of them disturbed.
ModeResult mode_of(const std::string& name, const std::vector<double>& cpu_times, unsigned requests = 3) {
    ModeResult mode{name, {}};
    for (const double cpu_s : cpu_times) mode.trials.push_back({requests, cpu_s});
    return mode;
}

ModeResult wrong(ModeResult mode) {
    for (size_t i = mode.trials.size() / 2; i < mode.trials.size(); ++i) mode.trials[i].fault = "another output";
    return mode;
}

/// Returns a mode that was wrong in `wrong` of its trials.
ModeResult wrong_in(unsigned wrong, unsigned trials) {
    ModeResult mode = mode_of("follow", std::vector<double>(trials, 1.0));
    for (unsigned i = 0; i < wrong; ++i) mode.trials[trials - 1 - i].fault = "another output";
    return mode;
}

/// Returns the verdict after as many undisturbed runs as leave no doubt that a fault is the mode's.
Verdict verdict_of(const ModeResult& keep, const ModeResult& follow) { return verdict_on(keep, follow, 10); }

const std::vector<double> kSlow = {2.0, 2.1, 1.9, 2.0, 2.2, 2.0};
const std::vector<double> kFast = {1.0, 1.1, 0.9, 1.0, 1.1, 1.0};

}  // namespace

TEST(Verdict, FollowNeedsToBeRightAndToTakeLess) {
    EXPECT_EQ(verdict_of(mode_of("keep", kSlow), mode_of("follow", kFast)).mode, "follow");
    EXPECT_EQ(verdict_of(mode_of("keep", kFast), mode_of("follow", kSlow)).mode, "keep");
    EXPECT_EQ(verdict_of(mode_of("keep", kSlow), wrong(mode_of("follow", kFast))).mode, "keep");
}

TEST(Verdict, AProgramThatIsWrongWithItsTeamKeptIsRigid) {
    EXPECT_EQ(verdict_of(wrong(mode_of("keep", kSlow)), mode_of("follow", kFast)).mode, "rigid");
}

TEST(Verdict, NoRequestIsNoEvidence) {
    EXPECT_EQ(verdict_of(mode_of("keep", kSlow, 0), mode_of("follow", kFast, 0)).mode, "");
    EXPECT_EQ(verdict_of(mode_of("keep", kSlow), mode_of("follow", kFast, 0)).mode, "");
    EXPECT_EQ(verdict_of({"keep"}, {"follow"}).mode, "");
}

TEST(Verdict, OneKindOfRunWithoutARequestIsNoEvidence) {
    auto keep = mode_of("keep", kSlow);
    keep.trials[1].requests = 0;
    EXPECT_EQ(verdict_of(keep, mode_of("follow", kFast)).mode, "");
    // The sixth run is of the first kind again.
    keep = mode_of("keep", kSlow);
    keep.trials[5].requests = 0;
    EXPECT_EQ(verdict_of(keep, mode_of("follow", kFast)).mode, "follow");
}

TEST(Verdict, ADifferenceThatChanceExplainsChoosesNothing) {
    EXPECT_EQ(
        verdict_of(mode_of("keep", {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}), mode_of("follow", {0.9, 0.9, 0.9, 0.9, 0.9, 1.2}))
            .mode,
        "keep");
    EXPECT_EQ(verdict_of(mode_of("keep", {2.0, 2.0, 2.0}), mode_of("follow", {1.0, 1.0, 1.0})).mode, "keep")
        << "three rounds are too few";
}

TEST(Verdict, WhatIsWrongAtRandomIsNoFaultOfAMode) {
    const auto keep = mode_of("keep", kSlow);
    EXPECT_EQ(verdict_on(keep, wrong_in(1, 4), 30).mode, "");
    EXPECT_EQ(
        verdict_on(keep, wrong_in(1, 4), 30).reason,
        "follow was wrong in 1 of 4 runs, and none of 30 undisturbed ones was, which may be chance; find its cause, "
        "or give --check");
    EXPECT_EQ(verdict_on(wrong_in(1, 4), keep, 30).mode, "");
    EXPECT_EQ(verdict_on(keep, wrong_in(4, 4), 30).mode, "keep");
}

/// Fisher's exact test by hand: the ways to choose the wrong runs among the disturbed ones, of those among all runs.
TEST(Chance, IsWhatCountingSays) {
    EXPECT_FALSE(is_beyond_chance(wrong_in(1, 1), 3)) << "1 of 4";
    EXPECT_FALSE(is_beyond_chance(wrong_in(1, 1), 18)) << "1 of 19";
    EXPECT_TRUE(is_beyond_chance(wrong_in(1, 1), 19)) << "1 of 20";
    EXPECT_FALSE(is_beyond_chance(wrong_in(2, 2), 4)) << "1 of 15";
    EXPECT_TRUE(is_beyond_chance(wrong_in(3, 3), 5)) << "1 of 56";
    EXPECT_FALSE(is_beyond_chance(wrong_in(4, 8), 6)) << "70 of 1001";
    EXPECT_TRUE(is_beyond_chance(wrong_in(5, 9), 7)) << "126 of 4368";
    EXPECT_FALSE(is_beyond_chance(wrong_in(0, 5), 30)) << "nothing was wrong";
}

TEST(Interval, HoldsTheMedianWithAProbabilityOfNineteenInTwenty) {
    std::vector<double> values;
    for (int i = 1; i <= 10; ++i) values.push_back(i);
    const Interval ten = interval_of(values);
    EXPECT_DOUBLE_EQ(ten.median, 5.5);
    // The second and the ninth: the table of the binomial distribution for ten throws.
    EXPECT_DOUBLE_EQ(ten.low, 2);
    EXPECT_DOUBLE_EQ(ten.high, 9);
    const Interval five = interval_of({5, 1, 4, 2, 3});
    EXPECT_DOUBLE_EQ(five.low, 1);
    EXPECT_DOUBLE_EQ(five.median, 3);
    EXPECT_DOUBLE_EQ(five.high, 5);
}

TEST(Ratios, PairTheRoundsThatBothModesHave) {
    const auto ratios = ratios_of(mode_of("follow", {1.0, 3.0}), mode_of("keep", {2.0, 4.0, 5.0}));
    ASSERT_EQ(ratios.size(), 2U);
    EXPECT_DOUBLE_EQ(ratios[0], 0.5);
    EXPECT_DOUBLE_EQ(ratios[1], 0.75);
}

}  // namespace drom::command
