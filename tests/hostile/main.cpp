// SPDX-License-Identifier: BSD-3-Clause
// main.cpp - the hostile suites: under a watchdog, each with a count.
#include <gtest/gtest.h>

#include "watchdog.hpp"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const drom::test::Watchdog watchdog(240);
    return RUN_ALL_TESTS();
}
