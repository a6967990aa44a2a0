// SPDX-License-Identifier: BSD-3-Clause
// digest_test.cpp - distributions and utilisation add up to the means; policies that cannot act are explained.
#include "report/digest.hpp"

#include <gtest/gtest.h>

#include "property.hpp"
#include "report/idle_policy.hpp"
#include "sample_outcomes.hpp"

namespace drom::sim {
namespace {

using drom::test::holds;

TEST(Distributions, AreNearestRanks) {
    Outcome outcome;
    for (int i = 0; i < 400; ++i) outcome.jobs.push_back(job(i, 0, 399 - i, 499 - i));
    const Distributions found = digest(outcome).distributions;
    ASSERT_EQ(found.wait.size(), kQuantiles + 1);
    EXPECT_EQ(found.wait.front(), 0);
    EXPECT_EQ(found.wait[1], 1);  // two of the 400 jobs are a 200th
    EXPECT_EQ(found.wait[kQuantiles / 2], 199);
    EXPECT_EQ(found.wait.back(), 399);
    EXPECT_EQ(found.slowdown.back(), 4.99);
    EXPECT_TRUE(digest(Outcome()).distributions.wait.empty());
}

TEST(UtilisationOverTime, IsTheShareOfBusyNodesInEachStep) {
    Outcome outcome;
    outcome.setting.nodes = 4;
    outcome.jobs = {job(1, 0, 0, 4000, 2), job(2, 0, 1800, 3600, 2), job(3, 0, 3630, 4000, 1)};
    const Utilisation found = digest(outcome).utilisation;
    EXPECT_EQ(found.step, 60);
    ASSERT_EQ(found.shares.size(), 67U);  // the last one has 40 s
    EXPECT_DOUBLE_EQ(found.shares[0], 0.5);
    EXPECT_DOUBLE_EQ(found.shares[30], 1);
    EXPECT_DOUBLE_EQ(found.shares[60], 0.625);
    EXPECT_DOUBLE_EQ(found.shares[66], 0.75);
}

TEST(UtilisationOverTime, CountsASharedNodeOnce) {
    const Utilisation found = digest(shared_outcome()).utilisation;
    ASSERT_FALSE(found.shares.empty());
    EXPECT_DOUBLE_EQ(found.shares[0], 150.0 / static_cast<double>(found.step));
}

TEST(UtilisationOverTime, AddsUpToTheAllocation) {
    EXPECT_TRUE(holds("sum", [] {
        Outcome outcome;
        outcome.setting.nodes = 300;
        const int count = *rc::gen::inRange(1, 30);
        for (int i = 0; i < count; ++i) {
            const Seconds start = *rc::gen::inRange<Seconds>(0, 1'000'000);
            const Seconds end = start + *rc::gen::inRange<Seconds>(1, 300'000);
            outcome.jobs.push_back(job(i, 0, start, end, *rc::gen::inRange(1, 8)));
        }
        const Digest found = digest(outcome);
        const Utilisation& over_time = found.utilisation;
        double sum = 0;
        for (std::size_t i = 0; i < over_time.shares.size(); ++i) {
            const Seconds from = over_time.from + static_cast<Seconds>(i) * over_time.step;
            sum += over_time.shares[i] * static_cast<double>(std::min(over_time.step, over_time.to - from));
        }
        RC_ASSERT(over_time.shares.size() <= 401);
        RC_ASSERT(std::abs(sum / static_cast<double>(found.metrics.makespan) - found.metrics.allocated) < 1e-9);
    }));
}

// ---- policies that cannot act ----------------------------------------------------------------------------------

std::string reason(int cores, const char* share, const char* factor, const char* ranks) {
    Setting setting{"log",
                    "sd",
                    "",
                    4,
                    cores,
                    {},
                    {{"malleable_share", share}, {"sharing_factor", factor}, {"ranks_per_node", ranks}},
                    {}};
    return why_idle(setting).value_or("");
}

TEST(IdlePolicy, IsExplained) {
    EXPECT_EQ(reason(8, "1", "0.5", "1"), "");
    EXPECT_EQ(reason(8, "1", "0.5", "4"), "");
    EXPECT_EQ(reason(1, "1", "0.5", "1"),
              "sd cannot share nodes of one core: no job starts on nodes of others (--cores-per-node).");
    EXPECT_EQ(reason(8, "0", "0.5", "1"),
              "sd has no malleable job: no job starts on nodes of others (malleable_share 0).");
    EXPECT_EQ(reason(8, "1", "0.1", "1"),
              "sd lends less than one of 8 cores: no job starts on nodes of others (sharing_factor 0.1).");
    EXPECT_EQ(
        reason(8, "1", "0.5", "5"),
        "sd leaves a guest 3 of 8 cores: no job starts on nodes of others, because each keeps 5 (ranks_per_node).");
    EXPECT_FALSE(why_idle(baseline_outcome().setting));
    Setting setting;
    setting.policy = "reshape";
    EXPECT_EQ(why_idle(setting).value_or(""),
              "reshape changes the size of programs that iterate, and no job is one: each keeps its size (drom-sim "
              "generate -h lists mixes of them).");
    setting.programs = 1;
    EXPECT_FALSE(why_idle(setting));
    setting.policy = "ejs";
    EXPECT_EQ(why_idle(setting).value_or(""),
              "ejs chooses among partitions, and this machine has one: it decides as EASY (--machine).");
    setting.partitions = {{"p1", 4, 100}};
    EXPECT_TRUE(why_idle(setting));
    setting.partitions.push_back({"p2", 4, 100});
    EXPECT_FALSE(why_idle(setting));
    setting.policy = "eamc";
    setting.partitions.pop_back();
    EXPECT_FALSE(why_idle(setting)) << "it chooses a frequency";
}

// Their numbers were compared with those of policies that started every job, without a word.
TEST(IdlePolicy, JobsThatItNeverStartsAreSaid) {
    Outcome outcome = baseline_outcome();
    EXPECT_FALSE(never_started(digest(outcome)));
    outcome.jobs[1].start = outcome.jobs[1].end = -1;
    EXPECT_EQ(never_started(digest(outcome)).value_or(""),
              "slurm never starts 1 of 3 jobs; all numbers leave them out.");
    outcome.setting.policy = "app";
    EXPECT_EQ(never_started(digest(outcome)).value_or(""),
              "app never starts 1 of 3 jobs: no partition that it allows them has enough nodes and runs their "
              "application; all numbers leave them out.");
    outcome.interrupted = true;
    EXPECT_FALSE(never_started(digest(outcome)));
}

}  // namespace
}  // namespace drom::sim
