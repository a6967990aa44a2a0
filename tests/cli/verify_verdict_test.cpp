// SPDX-License-Identifier: BSD-3-Clause
// verify_verdict_test.cpp - what drom verify concludes from its runs, and what it must not conclude.
#include "program/verify_verdict.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace drom::command {

namespace {

/// A mode with one trial per CPU time, each of them disturbed.
ModeResult mode_of(const std::string& name, const std::vector<double>& cpu_times, unsigned requests = 3) {
    ModeResult mode{name, {}};
    for (const double cpu_s : cpu_times) mode.trials.push_back({requests, cpu_s});
    return mode;
}

ModeResult wrong(ModeResult mode) {
    mode.trials.back().fault = "another output";
    return mode;
}

const std::vector<double> kSlow = {2.0, 2.1, 1.9, 2.0, 2.2, 2.0};
const std::vector<double> kFast = {1.0, 1.1, 0.9, 1.0, 1.1, 1.0};

}  // namespace

TEST(Verdict, FollowNeedsToBeRightAndToTakeLess) {
    EXPECT_EQ(verdict_on(mode_of("keep", kSlow), mode_of("follow", kFast)).mode, "follow");
    EXPECT_EQ(verdict_on(mode_of("keep", kFast), mode_of("follow", kSlow)).mode, "keep");
    EXPECT_EQ(verdict_on(mode_of("keep", kSlow), wrong(mode_of("follow", kFast))).mode, "keep");
}

TEST(Verdict, AProgramThatIsWrongWithItsTeamKeptIsRigid) {
    EXPECT_EQ(verdict_on(wrong(mode_of("keep", kSlow)), mode_of("follow", kFast)).mode, "rigid");
}

TEST(Verdict, NoRequestIsNoEvidence) {
    EXPECT_EQ(verdict_on(mode_of("keep", kSlow, 0), mode_of("follow", kFast, 0)).mode, "");
    EXPECT_EQ(verdict_on(mode_of("keep", kSlow), mode_of("follow", kFast, 0)).mode, "");
    EXPECT_EQ(verdict_on({"keep"}, {"follow"}).mode, "");
}

TEST(Verdict, OneKindOfRunWithoutARequestIsNoEvidence) {
    auto keep = mode_of("keep", kSlow);
    keep.trials[1].requests = 0;
    EXPECT_EQ(verdict_on(keep, mode_of("follow", kFast)).mode, "");
    // The sixth run is of the first kind again.
    keep = mode_of("keep", kSlow);
    keep.trials[5].requests = 0;
    EXPECT_EQ(verdict_on(keep, mode_of("follow", kFast)).mode, "follow");
}

TEST(Verdict, ADifferenceThatChanceExplainsChoosesNothing) {
    EXPECT_EQ(
        verdict_on(mode_of("keep", {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}), mode_of("follow", {0.9, 0.9, 0.9, 0.9, 0.9, 1.2}))
            .mode,
        "keep");
    EXPECT_EQ(verdict_on(mode_of("keep", {2.0, 2.0, 2.0}), mode_of("follow", {1.0, 1.0, 1.0})).mode, "keep")
        << "three rounds are too few";
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
