// SPDX-License-Identifier: BSD-3-Clause
// elastic_test.cpp - ranges, balancing, filling and victims of the elastic runtime scheduler.
#include <cmath>
#include <numeric>

#include "policy/resize/ranges.hpp"
#include "property.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

const EfficiencyRules kRules;

TEST(Range, HalvesWhatCommunicatesTooMuch) {
    const SizeRange range = range_of(16, 1, 32, {0.2, 0.05, true}, kRules);
    EXPECT_TRUE(range.must_shrink);
    EXPECT_EQ(range.high, 8);
    EXPECT_TRUE(range_of(16, 1, 32, {0.05, 0.2, true}, kRules).must_shrink) << "by its trend";
    EXPECT_EQ(range_of(16, 10, 32, {0.2, 0.2, true}, kRules).high, 10);
    EXPECT_FALSE(range_of(1, 1, 32, {0.2, 0.2, true}, kRules).must_shrink);
}

TEST(Range, DoublesWhatComputesOnly) {
    const SizeRange range = range_of(16, 2, 31, {0.001, 0.001, true}, kRules);
    EXPECT_TRUE(range.may_grow);
    EXPECT_EQ(range.high, 31);
    EXPECT_FALSE(range_of(16, 2, 31, {0.001, 0.02, true}, kRules).may_grow);
}

TEST(Range, HoldsTheRestWhichMayStillGive) {
    const SizeRange held = range_of(16, 2, 32, {0.05, 0.05, true}, kRules);
    EXPECT_FALSE(held.must_shrink || held.may_grow);
    EXPECT_EQ(held.low, 2);
    EXPECT_EQ(held.high, 16);
    const SizeRange unknown = range_of(16, 2, 32, {}, kRules);
    EXPECT_EQ(unknown.low, 16);
    EXPECT_EQ(unknown.high, 16);
}

// ---- balance -----------------------------------------------------------------------------------------------------

TEST(Balance, BringsRemainingTimesTogether) {
    const std::vector<Balanced> jobs = {{10, 100, 1, 99}, {10, 300, 1, 99}};
    EXPECT_EQ(balance(jobs, 0), (std::vector<int>{5, 15}));
    EXPECT_EQ(balance(jobs, 20), (std::vector<int>{10, 30}));
    EXPECT_EQ(balance(jobs, -8), (std::vector<int>{3, 9}));
}

TEST(Balance, RespectsBoundsAndSpreadsTheRest) {
    const std::vector<Balanced> jobs = {{10, 100, 1, 99}, {10, 300, 1, 12}, {10, 200, 1, 99}};
    EXPECT_EQ(balance(jobs, 0), (std::vector<int>{6, 12, 12}));
}

TEST(Balance, RoundsByLargestRemainder) {
    const std::vector<Balanced> jobs = {{1, 10, 1, 99}, {1, 10, 1, 99}, {1, 10, 1, 99}};
    EXPECT_EQ(balance(jobs, 2), (std::vector<int>{2, 2, 1}));
    const std::vector<Balanced> uneven = {{4, 10, 1, 99}, {1, 9, 1, 99}};
    EXPECT_EQ(balance(uneven, 0), (std::vector<int>{4, 1}));
}

TEST(Balance, LosesNoNodeAndLeavesNoJobWithoutOne) {
    EXPECT_TRUE(holds("sum, bounds and order of levels", [] {
        std::vector<Balanced> jobs;
        int nodes = 0, low = 0, high = 0;
        for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
            Balanced job{*rc::gen::inRange(1, 40), static_cast<double>(*rc::gen::inRange(0, 5000))};
            job.low = *rc::gen::inRange(1, job.size + 1);
            job.high = *rc::gen::inRange(job.size, 80);
            jobs.push_back(job);
            nodes += job.size, low += job.low, high += job.high;
        }
        const int idle = *rc::gen::inRange(-40, 40);
        const std::vector<int> sizes = balance(jobs, idle);
        RC_ASSERT(std::accumulate(sizes.begin(), sizes.end(), 0) == std::clamp(nodes + idle, low, high));
        for (std::size_t i = 0; i < jobs.size(); ++i) RC_ASSERT(sizes[i] >= jobs[i].low && sizes[i] <= jobs[i].high);
        // Within bounds more weight never gets a node less.
        for (std::size_t i = 0; i < jobs.size(); ++i)
            for (std::size_t j = 0; j < jobs.size(); ++j)
                if (jobs[i].size * jobs[i].remaining > jobs[j].size * jobs[j].remaining)
                    RC_ASSERT(sizes[i] >= sizes[j] - 1 || sizes[i] == jobs[i].high || sizes[j] == jobs[j].low);
    }));
}

TEST(Fill, GivesToTheLongestFirst) {
    const std::vector<Growable> jobs = {{4, 100, 8, {}}, {4, 300, 6, {}}, {4, 200, 8, {}}};
    EXPECT_EQ(fill(jobs, 5), (std::vector<int>{4, 6, 7}));
    EXPECT_EQ(fill(jobs, 99), (std::vector<int>{8, 6, 8}));
}

// ---- victims -----------------------------------------------------------------------------------------------------

TEST(Victims, AreFewAndOfThoseTheLeastHurt) {
    const std::vector<Victim> victims = {{4, 0.1}, {8, 0.9}, {6, 0.2}, {6, 0.3}};
    EXPECT_EQ(choose_victims(victims, 8), (std::vector<std::size_t>{1})) << "one is enough";
    EXPECT_EQ(choose_victims(victims, 6), (std::vector<std::size_t>{2}));
    EXPECT_EQ(choose_victims(victims, 10), (std::vector<std::size_t>{0, 2}));
    EXPECT_TRUE(choose_victims(victims, 25).empty());
    EXPECT_TRUE(choose_victims(victims, 0).empty());
}

TEST(Victims, AreThoseThatTryingAllSubsetsFinds) {
    EXPECT_TRUE(holds("fewest, then least damage", [] {
        std::vector<Victim> victims;
        for (int i = *rc::gen::inRange(1, 8); i > 0; --i)
            victims.push_back({*rc::gen::inRange(0, 9), *rc::gen::inRange(0, 64) / 8.0});
        const int deficit = *rc::gen::inRange(1, 30);
        std::pair<int, double> best{99, 0};
        for (unsigned set = 1; set < 1U << victims.size(); ++set) {
            int count = 0, gives = 0;
            double damage = 0;
            for (std::size_t i = 0; i < victims.size(); ++i)
                if ((set >> i & 1) != 0) ++count, gives += victims[i].gives, damage += victims[i].damage;
            if (gives >= deficit) best = std::min(best, {count, damage});
        }
        const std::vector<std::size_t> chosen = choose_victims(victims, deficit);
        RC_ASSERT(chosen.empty() == (best.first == 99));
        int gives = 0;
        double damage = 0;
        for (const std::size_t i : chosen) gives += victims[i].gives, damage += victims[i].damage;
        if (chosen.empty()) return;
        RC_ASSERT(gives >= deficit);
        RC_ASSERT(static_cast<int>(chosen.size()) == best.first);
        RC_ASSERT(damage == best.second);
    }));
}

// ---- the published steps -------------------------------------------------------------------------------------------

/// A program whose MTCT is `factor` times a power of its nodes.
struct Program {
    double factor, power;
    JobAtTick job;
};

JobAtTick job_of(int size, int max) {
    JobAtTick job;
    job.size = size;
    job.remaining = 1000;
    job.sizes.max = max;
    return job;
}

Program gauss(int size, double factor = 0.06) { return {factor, 1, job_of(size, 32)}; }

Program cannon(int size, double factor) {
    Program program{factor, 0.5, job_of(size, 32)};
    program.job.sizes.law = SizeLaw::kSquareOfCores;
    program.job.sizes.cores_per_node = 16;
    return program;
}

/// Returns the programs' sizes at the start and after each tick, on 32 nodes.
std::vector<std::vector<int>> sizes_over(std::vector<Program> programs, int ticks, EfficiencyRules rules = kRules) {
    std::vector<std::vector<int>> history;
    for (int tick = 0; tick <= ticks; ++tick) {
        std::vector<JobAtTick> jobs;
        std::vector<int> sizes;
        int idle = 32;
        for (Program& program : programs) {
            const double mtct = program.factor * std::pow(program.job.size, program.power);
            program.job.mtct = {mtct, mtct, true};
            jobs.push_back(program.job);
            sizes.push_back(program.job.size);
            idle -= program.job.size;
        }
        history.push_back(sizes);
        const std::vector<int> next = sizes_at_tick(jobs, idle, rules);
        for (std::size_t i = 0; i < next.size(); ++i) programs[i].job.size = next[i];
    }
    return history;
}

TEST(Elastic, GaussGivesUpNodesThatCannonTakesUntilNoneIsIdle) {
    const auto history = sizes_over({gauss(16), cannon(16, 0.0015)}, 6);
    std::vector<int> of_gauss, of_cannon;
    for (const std::vector<int>& sizes : history) {
        of_gauss.push_back(sizes[0]);
        of_cannon.push_back(sizes[1]);
    }
    EXPECT_EQ(of_gauss, (std::vector<int>{16, 8, 4, 2, 1, 1, 1}));
    EXPECT_EQ(of_cannon, (std::vector<int>{16, 16, 23, 28, 28, 31, 31})) << "30 nodes hold no larger square than 28";
}

TEST(Elastic, CannonThatCommunicatesMoreIsHeldWhileNodesAreIdle) {
    EXPECT_EQ(sizes_over({gauss(16), cannon(16, 0.01)}, 6).back(), (std::vector<int>{1, 16})) << "15 of 32 are idle";
}

TEST(Elastic, SmallCannonShrinksToTwoInThreeSteps) {
    const auto history = sizes_over({cannon(16, 0.06)}, 4);
    const std::vector<std::vector<int>> expected = {{16}, {8}, {4}, {2}, {2}};
    EXPECT_EQ(history, expected);
}

TEST(Elastic, ThreeCannonsShareByTheirRemainingTimes) {
    std::vector<JobAtTick> jobs = {job_of(16, 32), job_of(16, 32)};
    for (JobAtTick& job : jobs) job.mtct = {0.04, 0.04, true};
    jobs[0].remaining = 300;
    jobs[1].remaining = 600;
    const std::vector<int> sizes = make_room(jobs, 16, 1, kRules);
    EXPECT_EQ(sizes, (std::vector<int>{5, 11})) << "16 for the third";
    EXPECT_TRUE(make_room(jobs, 16, 0, kRules).empty()) << "equal priority gives nothing";
    for (JobAtTick& job : jobs) job.mtct = {};
    EXPECT_TRUE(make_room(jobs, 16, 1, kRules).empty()) << "nothing is known of them";
}

TEST(Elastic, AHigherLimitLetsWideProgramsKeepTheirNodes) {
    EfficiencyRules tolerant = kRules;
    tolerant.upper = 0.5;
    EXPECT_EQ(sizes_over({cannon(16, 0.06)}, 4, tolerant).back(), (std::vector<int>{16}));
    EXPECT_EQ(sizes_over({gauss(16)}, 4, tolerant).back(), (std::vector<int>{8}));
}

}  // namespace
