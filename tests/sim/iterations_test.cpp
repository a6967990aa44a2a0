// SPDX-License-Identifier: BSD-3-Clause
// iterations_test.cpp - one program that iterates: its times on each size, and changes between them.
#include "engine/iterations.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace drom::sim;

Program linear(int start, double iteration, int iterations) {
    Program program;
    program.start = start;
    program.iteration = iteration;
    program.iterations = iterations;
    return program;
}

TEST(IterativeRun, KeepsExactTimesBetweenWholeSeconds) {
    const Program program = linear(3, 10, 3);
    IterativeRun run(program, 4, 1, 100);
    EXPECT_DOUBLE_EQ(run.next(), 107.5);
    EXPECT_DOUBLE_EQ(run.iterate(), 7.5);
    run.resize(3, 108);
    run.leave_point();
    EXPECT_DOUBLE_EQ(run.next(), 117.5) << "from the point on, not from the second after it";
    EXPECT_FALSE(run.on_last());
    run.iterate();
    EXPECT_TRUE(run.on_last());
}

TEST(IterativeRun, ChangesInTheMiddleOfAnIteration) {
    const Program program = linear(2, 10, 2);
    IterativeRun run(program, 2, 1, 0);
    run.resize(4, 5);
    EXPECT_DOUBLE_EQ(run.next(), 7.5);
    EXPECT_DOUBLE_EQ(run.iterate(), 7.5);
    EXPECT_DOUBLE_EQ(run.next(), 12.5);
}

TEST(IterativeRun, PausesForWhatAChangeCosts) {
    const Program program = linear(2, 10, 2);
    IterativeRun run(program, 2, 1, 0);
    run.pause(3, 4);
    EXPECT_DOUBLE_EQ(run.next(), 13);
    run.resize(4, 5);
    EXPECT_DOUBLE_EQ(run.next(), 4 + 3 + 3) << "two of three seconds of the pause are left";
    EXPECT_DOUBLE_EQ(run.iterate(), 4 + 3) << "an iteration's time is without it";
}

TEST(Program, ScalesByItsLaw) {
    Program program = linear(10, 8, 1);
    program.scaling = Scaling::kPower;
    EXPECT_DOUBLE_EQ(program.seconds_on(10), 8);
    EXPECT_NEAR(program.seconds_on(20), 8 / std::pow(2, 0.8), 1e-9);
    EXPECT_NEAR(program.seconds_on(15), 8 / std::pow(1.5, std::sqrt(0.8)), 1e-9);
    program.scaling = Scaling::kSquare;
    program.start = 16;
    program.cores_per_node = 16;
    EXPECT_DOUBLE_EQ(program.seconds_on(28), program.seconds_on(30)) << "21 x 21 processes on both";
    EXPECT_NEAR(program.seconds_on(31), 8.0 * 256 / 484, 1e-9);
}

TEST(Program, CommunicatesByItsLaw) {
    Program program = linear(16, 10, 1);
    program.mtct_factor = 0.06;
    program.mtct_power = 1;
    EXPECT_DOUBLE_EQ(program.mtct(16), 0.96);
    EXPECT_NEAR(program.seconds_on(8), 20 * 1.48 / 1.96, 1e-9);
}

}  // namespace
