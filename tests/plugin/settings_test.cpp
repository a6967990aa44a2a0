// SPDX-License-Identifier: GPL-2.0-or-later
// settings_test.cpp - plugstack.conf's arguments, drom.conf, and a job's declaration in its SPANK environment.
#include "common/settings.hpp"

#include <gtest/gtest.h>

#include "common/slurm_text.hpp"
#include "task_affinity/task_hooks.hpp"

namespace drom::slurm {
namespace {

TEST(NoDrom, IsFoundInACommandLineAlsoAbbreviated) {
    EXPECT_TRUE(says_no_drom("srun --no-drom sleep 1"));
    EXPECT_TRUE(says_no_drom("/usr/bin/srun -n 2 --no-d sleep"));
    EXPECT_TRUE(says_no_drom("srun --no-dro"));
    EXPECT_FALSE(says_no_drom("srun --no-kill --nodes=2 sleep"));
    EXPECT_FALSE(says_no_drom("srun --no- sleep"));
    EXPECT_FALSE(says_no_drom("srun --no-dromedary"));
    EXPECT_FALSE(says_no_drom(""));
}

TEST(Settings, OfAFileHaveCommentsAndBlanks) {
    const Settings settings = read_file(
        "# a node\n\n table = /run/drom-%n # in memory\r\nsharing_factor=0.25\ntopology=package:2 core:24 pu:1");
    EXPECT_TRUE(settings.wrong.empty());
    EXPECT_EQ(settings.sharing_factor, 0.25);
    const AgentSettings agent = agent_settings(settings, "n7");
    EXPECT_EQ(agent.table, "/run/drom-n7");
    EXPECT_EQ(agent.topology, "package:2 core:24 pu:1");
}

TEST(Settings, WhatIsWrongIsNamedWithItsLineAndTheRestCounts) {
    const Settings settings = read_file("tabel=/x\ntable=/y\nsharing_factor=2\nsharing_factor=nan");
    EXPECT_EQ(settings.wrong,
              (std::vector<std::string>{
                  "drom.conf:1: tabel=/x: there is no such setting; lib, table, topology and sharing_factor are",
                  "drom.conf:3: sharing_factor=2: the factor is between 0 and 1, for instance sharing_factor=0.5",
                  "drom.conf:4: sharing_factor=nan: the factor is between 0 and 1, for instance sharing_factor=0.5"}));
    EXPECT_EQ(settings.table, "/y");
    EXPECT_EQ(settings.sharing_factor, 0.5);
}

TEST(Settings, OfPlugstackHaveCommasForBlanks) {
    const char* const arguments[] = {"table=/run/%n/%n", "topology=package:2,core:4", "lib=/opt/lib", "nothing"};
    const Settings settings = read_arguments(4, arguments);
    EXPECT_EQ(agent_settings(settings, "a").table, "/run/a/a");
    EXPECT_EQ(settings.topology, "package:2 core:4");
    EXPECT_EQ(settings.lib, "/opt/lib");
    EXPECT_EQ(settings.wrong.size(), 1U);
}

StepOnNode declared(const std::vector<std::string_view>& environment, std::string_view prefix = "") {
    StepOnNode step;
    task::read_declaration(environment, prefix, step);
    return step;
}

TEST(Declaration, IsTheJobsRange) {
    EXPECT_EQ(declared({"PATH=/bin", "DROM_MALLEABLE=2-4"}).range, (MalleableRange{2, 4}));
    EXPECT_EQ(declared({"DROM_MALLEABLE=(null)"}).range, (MalleableRange{1, 0}));
    EXPECT_EQ(declared({"DROM_MALLEABLE=2", "DROM_MIN_PER_RANK=3"}).min_per_rank, 3U);
    EXPECT_FALSE(declared({"PATH=/bin"}).range.has_value());
}

TEST(Declaration, OfWhoSaysNoDromIsNone) {
    EXPECT_FALSE(declared({"DROM_MALLEABLE=2-4", "DROM_OFF=1"}).range.has_value());
    EXPECT_FALSE(declared({"DROM_OFF=1", "DROM_MALLEABLE=2-4"}).range.has_value());
}

TEST(Declaration, HasThePrefixOfItsPlace) {
    EXPECT_TRUE(declared({"SLURM_SPANK_DROM_MALLEABLE=1"}, "SLURM_SPANK_").range.has_value());
    // A task's own variable does not count: steps inherit it even if they declare something else.
    EXPECT_FALSE(declared({"DROM_MALLEABLE=1"}, "SLURM_SPANK_").range.has_value());
    EXPECT_FALSE(declared({"DROM_MALLEABLE=-3"}).range.has_value());
}

}  // namespace
}  // namespace drom::slurm
