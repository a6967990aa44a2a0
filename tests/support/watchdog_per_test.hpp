// SPDX-License-Identifier: BSD-3-Clause
// watchdog_per_test.hpp - a watchdog for programs of GoogleTest, where each test is a step.
#pragma once

#include <gtest/gtest.h>

#include "watchdog.hpp"

namespace drom::test {

class StepPerTest final : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo&) override { Watchdog::next_step(); }
};

/// Kills the process group when one test has taken `seconds`. Runs all tests.
inline int run_all_tests(unsigned seconds) {
    const Watchdog watchdog(seconds);
    testing::UnitTest::GetInstance()->listeners().Append(new StepPerTest);  // which GoogleTest deletes
    return RUN_ALL_TESTS();
}

}  // namespace drom::test
