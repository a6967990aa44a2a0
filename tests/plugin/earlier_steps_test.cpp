// SPDX-License-Identifier: GPL-2.0-or-later
// earlier_steps_test.cpp - what slurmctld tells the nodes of a job that ends.
#include "common/earlier_steps.hpp"

#include <gtest/gtest.h>

namespace drom::slurm {
namespace {

TEST(EarlierSteps, AreThoseBelowANumberAndThoseThatAreNamed) {
    const EarlierSteps steps{88, 5, {4294967291}};
    EXPECT_TRUE(steps.has(0));
    EXPECT_TRUE(steps.has(4));
    EXPECT_FALSE(steps.has(5));
    EXPECT_TRUE(steps.has(4294967291));
    EXPECT_FALSE(steps.has(4294967292));
}

TEST(EarlierSteps, AreReadAsTheyWereWritten) {
    const std::vector<EarlierSteps> jobs{{88, 5, {4294967291, 4294967292}}, {90, 0, {}}};
    EXPECT_EQ(to_text(jobs), "88/5/4294967291/4294967292,90/0");
    EXPECT_EQ(read_earlier_steps(to_text(jobs)), jobs);
    EXPECT_EQ(to_text({}), "");
}

TEST(EarlierSteps, OfAJobThatCannotBeReadAreNone) {
    EXPECT_TRUE(read_earlier_steps("").empty());
    EXPECT_TRUE(read_earlier_steps("88").empty());
    EXPECT_TRUE(read_earlier_steps("88/-1,/,88/5/x,88/5 ,4294967296/1").empty());
    EXPECT_EQ(read_earlier_steps("x,,90/3"), (std::vector<EarlierSteps>{{90, 3, {}}}));
}

}  // namespace
}  // namespace drom::slurm
