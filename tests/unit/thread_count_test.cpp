// SPDX-License-Identifier: BSD-3-Clause
// thread_count_test.cpp - OMP_NUM_THREADS as drom run, the agent and the team read it.
#include "openmp/thread_count.hpp"

#include <gtest/gtest.h>

namespace {

using drom::first_thread_count;

TEST(ThreadCount, IsTheFirstNumberOfTheList) {
    EXPECT_EQ(first_thread_count("4"), 4U);
    EXPECT_EQ(first_thread_count("4,2"), 4U);
    EXPECT_EQ(first_thread_count(" 4"), 4U) << "as OpenMP's runtimes read it";
    EXPECT_EQ(first_thread_count("2147483647"), 2147483647U);
}

TEST(ThreadCount, IsNoneWhereNoTeamCanHaveIt) {
    for (const char* text : {"", "x", ",4", "0", "-1", "2147483648", "99999999999999999999"})
        EXPECT_EQ(first_thread_count(text), 0U) << text;
    EXPECT_EQ(first_thread_count(nullptr), 0U);
}

}  // namespace
