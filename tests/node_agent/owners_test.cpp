// SPDX-License-Identifier: GPL-2.0-or-later
// owners_test.cpp - CPUs that are a job's although it does not use them now: they are given to no other.
#include "agent_fixture.hpp"

namespace drom::slurm {
namespace {

TEST_F(Agent, AJobThatStartedOnTheCpusOfASuspendedOneHasThemWhenThatEnds) {
    const CpuSet half = CpuSet::range(24, 24);
    const Launch mate = launch(1, 1, kNode);
    ASSERT_EQ(arrive(mate), "");
    Launch guest = launch(2, 1, half);
    guest.min_cpus = 24;  // as one that follows requests, and lends none of these while it is stopped
    ASSERT_EQ(arrive(guest), "");
    const Launch rigid = launch(3, 1, half, false);
    EXPECT_EQ(arrive(rigid),
              "drom: no room: its CPUs 24-47 are what running steps keep at least, one per task or as --malleable=MIN "
              "says; it runs as without drom");
    EXPECT_EQ(wanted(guest.tasks[0]), half);
    ASSERT_TRUE(agent().leave(guest.tasks));
    EXPECT_EQ(wanted(rigid.tasks[0]), half);
    EXPECT_EQ(wanted(mate.tasks[0]), CpuSet::range(0, 24)) << "it is beside the job that is not malleable";
    ASSERT_TRUE(agent().leave(rigid.tasks));
    EXPECT_EQ(wanted(mate.tasks[0]), kNode);
}

}  // namespace
}  // namespace drom::slurm
