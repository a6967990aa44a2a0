// SPDX-License-Identifier: BSD-3-Clause
// outcome_test.cpp - what a simulation keeps of each job.
#include "engine/outcome.hpp"

#include <gtest/gtest.h>

namespace drom::sim {
namespace {

TEST(JobOutcome, TakesALittleRoomBecauseAYearHasAMillion) { EXPECT_LE(sizeof(JobOutcome), 160U); }

TEST(Seldom, IsADefaultUntilItIsEditedAndACopyHasItsOwn) {
    JobOutcome job;
    EXPECT_EQ(job.history->shrunk_at, -1);
    job.history.edit().shrunk = 2;
    JobOutcome copy = job;
    copy.history.edit().shrunk = 3;
    EXPECT_EQ(job.history->shrunk, 2);
    EXPECT_EQ(copy.history->shrunk, 3);
    copy = JobOutcome();
    EXPECT_EQ(copy.history->shrunk, 0);
    copy = job;
    EXPECT_EQ(copy.history->shrunk, 2);
}

}  // namespace
}  // namespace drom::sim
