// SPDX-License-Identifier: BSD-3-Clause
// advisers_test.cpp - the policies of drom advise: no program beyond its limits, no CPU twice, and ranks that are
// balanced soon and left alone then.
#include "policy/node/advisers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "policy/node/rank_balance.hpp"

namespace drom::policy {

namespace {

NodeClient client(int id, int cpus, std::vector<double> useful, int min = 1, int max = 64) {
    NodeClient one;
    one.id = id;
    one.cpus = cpus;
    one.min = min;
    one.max = max;
    one.changed = -1000;
    one.useful = std::move(useful);
    return one;
}

NodeProgram program(const std::string& name, std::vector<NodeClient> clients) { return {name, std::move(clients)}; }

std::unique_ptr<Adviser> made(const std::string& text) {
    auto adviser = adviser_of(text);
    EXPECT_TRUE(adviser) << (adviser ? "" : adviser.error());
    return std::move(*adviser);
}

/// A job whose ranks do their iterations together: the slowest sets the pace.
class PlayedJob {
public:
    PlayedJob(std::vector<double> work, std::vector<int> cpus, double noise = 0)
        : work_(std::move(work)), cpus_(std::move(cpus)), noise_(noise) {}

    double time_with(const std::vector<int>& cpus) const {
        double time = 0;
        for (std::size_t i = 0; i < work_.size(); ++i) time = std::max(time, work_[i] / cpus[i]);
        return time;
    }
    double time() const { return time_with(cpus_); }
    const std::vector<int>& cpus() const { return cpus_; }

    NodeView view(Seconds now, int looks = 4) {
        std::normal_distribution<double> normal(1, noise_ > 0 ? noise_ : 1);
        NodeView view;
        view.now = now;
        view.programs.push_back({"job", {}});
        for (std::size_t i = 0; i < work_.size(); ++i) {
            std::vector<double> useful;
            for (int look = 0; look < looks; ++look)
                useful.push_back(work_[i] / time() * (noise_ > 0 ? normal(random_) : 1));
            view.programs[0].clients.push_back(client(static_cast<int>(i) + 1, cpus_[i], useful));
        }
        return view;
    }
    /// Returns whether something has changed.
    bool follow(const Advice& advice) {
        const bool changed = advice.cpus != cpus_;
        cpus_ = advice.cpus;
        return changed;
    }

    /// Returns the least time over all ways to divide the CPUs between two ranks.
    double best_of_two() const {
        double best = 1e9;
        const int all = cpus_[0] + cpus_[1];
        for (int first = 1; first < all; ++first) best = std::min(best, time_with({first, all - first}));
        return best;
    }

private:
    std::vector<double> work_;
    std::vector<int> cpus_;
    double noise_;
    std::mt19937 random_{7};
};

}  // namespace

TEST(Advisers, NoPolicyLeavesLimitsOrGivesACpuTwice) {
    std::mt19937 random(3);
    const auto any = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    for (const AdviserRow& row : advisers()) {
        const auto adviser = made(row.name);
        for (int round = 0; round < 500; ++round) {
            NodeView view;
            view.free = any(0, 5);
            view.now = round;
            int id = 1;
            for (int i = any(0, 5); i > 0; --i) {
                NodeProgram one{"p" + std::to_string(i), {}};
                for (int k = any(1, 4); k > 0; --k) {
                    const int cpus = any(1, 8);
                    std::vector<double> useful;
                    for (int look = 0; look < 4; ++look) useful.push_back(cpus * any(0, 100) / 100.0);
                    if (any(0, 9) == 0) useful.clear();
                    one.clients.push_back(client(id++, cpus, useful, any(1, cpus), any(1, 12)));
                    if (any(0, 9) == 0) one.clients.back().held = "it is rigid";
                    one.clients.back().changed = round - any(0, 9);
                }
                view.programs.push_back(one);
            }
            const std::vector<Advice> advices = adviser->advise(view);
            ASSERT_EQ(advices.size(), view.programs.size());
            int more = 0;
            for (std::size_t i = 0; i < advices.size(); ++i) {
                const NodeProgram& one = view.programs[i];
                ASSERT_EQ(advices[i].cpus.size(), one.clients.size());
                EXPECT_FALSE(advices[i].why.empty());
                for (std::size_t k = 0; k < one.clients.size(); ++k) {
                    const NodeClient& its = one.clients[k];
                    const int cpus = advices[i].cpus[k];
                    more += cpus - its.cpus;
                    EXPECT_TRUE(one.held().empty() || cpus == its.cpus) << row.name;
                    EXPECT_GE(cpus, std::min(its.min, its.cpus)) << row.name;
                    EXPECT_LE(cpus, std::max({its.max, its.cpus, its.min})) << row.name;
                }
            }
            EXPECT_LE(more, view.free) << row.name;
        }
    }
}

TEST(Advisers, ATextThatNamesNoPolicySaysWhatThereIs) {
    const auto refusal = [](const char* text) {
        const auto adviser = adviser_of(text);
        return adviser ? "none" : adviser.error();
    };
    EXPECT_EQ(refusal("fair"),
              "there is no policy 'fair'; there are equipartition, efficiency, balance, reshape, share");
    EXPECT_EQ(refusal("balance:gain=3"), "balance has no option 'gain'; it has min_gain, max_moves, memory");
    EXPECT_EQ(refusal("balance:min_gain"), "min_gain needs a value");
    EXPECT_EQ(refusal("balance:"), "nothing follows the ':'");
    EXPECT_EQ(refusal("balance:min_gain=2"), "min_gain '2' is out of range; 0 to 1 can be meant");
    EXPECT_EQ(refusal("efficiency:upper=0.3,lower=0.1"), "none");
    EXPECT_EQ(refusal("efficiency:upper=0.1,lower=5"),
              "lower 5 is above upper 0.1; a program between them would have to shrink and to grow");
}

TEST(Advisers, TheWholeNameHasAllOptionsAndNamesTheSamePolicy) {
    EXPECT_EQ(whole_name_of("equipartition"), "equipartition:min_gap=5");
    EXPECT_EQ(whole_name_of("efficiency:lower=0.3"), "efficiency:upper=0.5,lower=0.3,min_gap=5,memory=600");
    for (const AdviserRow& row : advisers()) {
        const auto whole = whole_name_of(row.name);
        ASSERT_TRUE(whole);
        EXPECT_EQ(whole_name_of(*whole), whole);
    }
    EXPECT_FALSE(whole_name_of("fair"));
}

// ReSHAPE for nodes and for CPUs is one table: only the unit, and what fits the kind of machine, differ.
TEST(Advisers, ReshapeHasTheOptionsThatItHasInTheSimulator) {
    EXPECT_EQ(whole_name_of("reshape"),
              "reshape:scenario=pba-q,step=1,expand_threshold=0.2,remap_window=3,min_gain=0.2,sweet_spot=600,"
              "estimator=monotone,min_gap=5");
    const auto& of_cpus = std::ranges::find(advisers(), std::string_view("reshape"), &AdviserRow::name)->options;
    const auto& of_nodes = find_policy("reshape")->options;
    const std::set<std::string_view> differ{"scenario", "step", "min_gain"};
    for (std::size_t i = 0; i + 1 < of_cpus.size(); ++i) {
        EXPECT_STREQ(of_cpus[i].name, of_nodes[i].name);
        EXPECT_EQ(std::string_view(of_cpus[i].label) == of_nodes[i].label, i != 1) << of_cpus[i].name;
        EXPECT_EQ(std::string_view(of_cpus[i].text) == of_nodes[i].text, !differ.contains(of_cpus[i].name));
    }
    EXPECT_FALSE(adviser_of("reshape:step=4097"));
    EXPECT_TRUE(adviser_of("reshape:step=4096"));
    Policy nodes(*find_policy("reshape"));
    EXPECT_TRUE(nodes.set(*nodes.find("step"), "4097"));
}

TEST(EqualCpus, ANewcomerGetsAShareOfWhatOthersHave) {
    NodeView view{{program("a", {client(1, 6, {6})}), program("b", {client(2, 1, {1})})}, 1, 0};
    const auto advices = made("equipartition")->advise(view);
    EXPECT_EQ(advices[0], (Advice{{4}, "an equal share is 4"}));
    EXPECT_EQ(advices[1], (Advice{{4}, "an equal share is 4"}));
}

TEST(EqualCpus, WhatAProgramCannotUseIsForOthers) {
    NodeView view{{program("a", {client(1, 4, {4})}), program("b", {client(2, 4, {1}, 1, 1)})}, 0, 0};
    const auto advices = made("equipartition")->advise(view);
    EXPECT_EQ(advices[0].cpus, std::vector{7});
    EXPECT_EQ(advices[1], (Advice{{1}, "an equal share is 1, and it can use 1 CPU at most"}));
}

TEST(EqualCpus, AShareThatIsNotAsTheOthersNamesItsLimit) {
    // Of one thread, of three at least, of a rigid one that keeps what it has, and of one that could use more.
    NodeView view{{program("serial", {client(1, 1, {1}, 1, 1)}), program("needs", {client(2, 3, {3}, 3, 8)}),
                   program("rigid", {client(3, 6, {6})}), program("more", {client(4, 2, {2})})},
                  0,
                  100};
    view.programs[2].clients[0].held = "it is rigid";
    const auto advices = made("equipartition")->advise(view);
    EXPECT_EQ(advices[0], (Advice{{1}, "it has its share, and it can use 1 CPU at most"}));
    EXPECT_EQ(advices[1], (Advice{{3}, "it has its share, and its minimum is 3 CPUs"}));
    EXPECT_EQ(advices[2], (Advice{{6}, "it is rigid"}));
    EXPECT_EQ(advices[3], (Advice{{2}, "it has its share, and no other program can give one"}));
}

TEST(EqualCpus, AFreeCpuThatNoProgramCanUseIsExplained) {
    NodeView view{{program("a", {client(1, 2, {2}, 1, 2)}), program("b", {client(2, 2, {2}, 1, 2)})}, 3, 100};
    for (const Advice& advice : made("equipartition")->advise(view))
        EXPECT_EQ(advice, (Advice{{2}, "it has its share, and it can use 2 CPUs at most"}));
    view.free = 0;
    for (const Advice& advice : made("equipartition")->advise(view)) EXPECT_EQ(advice.why, "it has its share");
}

TEST(EqualCpus, TheRanksOfAJobAreOneProgram) {
    NodeView view{{program("mpi", {client(1, 3, {3}), client(2, 3, {3})}), program("b", {client(3, 2, {2})})}, 0, 0};
    const auto advices = made("equipartition")->advise(view);
    EXPECT_EQ(advices[0].cpus, (std::vector{2, 2}));
    EXPECT_EQ(advices[1].cpus, std::vector{4});
}

TEST(EfficientCpus, ShrinksToHalfAndGrowsToDoubleOverTwoRounds) {
    const auto adviser = made("efficiency");
    NodeView view{
        {program("waits", {client(1, 4, {1, 1, 1, 1})}), program("works", {client(2, 2, {2, 2, 2, 2})})}, 0, 0};
    auto advices = adviser->advise(view);
    EXPECT_EQ(advices[0], (Advice{{2}, "25 % of its CPU time is useful, less than 67 %"}));
    EXPECT_EQ(advices[1], (Advice{{2}, "100 % of its CPU time is useful, and no CPU is free"}));
    view.programs[0].clients[0] = client(1, 2, {1, 1, 1, 1});
    view.free = 2;
    advices = adviser->advise(view);
    EXPECT_EQ(advices[1], (Advice{{4}, "100 % of its CPU time is useful, more than 91 %"}));
}

TEST(EfficientCpus, UselessGrowthIsUndoneAndNotTriedAgainForAWhile) {
    // It has work for two CPUs, however many it has.
    const auto adviser = made("efficiency:min_gap=0");
    int cpus = 1, changes = 0;
    std::vector<int> seen;
    for (int round = 0; round < 50; ++round) {
        const double useful = std::min(cpus, 2);
        NodeView view{{program("p", {client(1, cpus, std::vector<double>(4, useful))})}, 8 - cpus, 10 * round};
        const int advised = adviser->advise(view)[0].cpus[0];
        changes += advised != cpus ? 1 : 0;
        cpus = advised;
        seen.push_back(cpus);
    }
    EXPECT_EQ((std::vector<int>(seen.begin(), seen.begin() + 4)), (std::vector{2, 4, 2, 2}));
    EXPECT_EQ(changes, 3);
    EXPECT_EQ(cpus, 2);
}

TEST(EfficientCpus, AProgramThatWaitedForAWhileGrowsWhenItWorksAgain) {
    const auto adviser = made("efficiency:min_gap=0");
    int cpus = 4;
    const auto round = [&](double share, Seconds now) {
        NodeView view{{program("p", {client(1, cpus, std::vector<double>(4, share * cpus))})}, 8 - cpus, now};
        cpus = adviser->advise(view)[0].cpus[0];
        return cpus;
    };
    EXPECT_EQ(round(0, 10), 2);
    EXPECT_EQ(round(0, 20), 1);
    EXPECT_EQ(round(1, 30), 2);
    EXPECT_EQ(round(1, 40), 4);
    EXPECT_EQ(round(0.8, 50), 4);
    EXPECT_EQ(round(0, 60), 2);
    EXPECT_EQ(round(1, 70), 4);
}

TEST(EfficientCpus, AProgramThatWorksLessByNowShrinks) {
    NodeView view{{program("ends", {client(1, 4, {4, 4, 4, 1})})}, 0, 0};
    EXPECT_EQ(made("efficiency")->advise(view)[0],
              (Advice{{2}, "25 % of its CPU time is useful by now, less than 67 %"}));
}

TEST(EfficientCpus, AProgramAtItsMinimumIsSaidToBe) {
    NodeView view{{program("p", {client(1, 1, {0.1, 0.1, 0.1, 0.1})})}, 0, 0};
    EXPECT_EQ(made("efficiency")->advise(view)[0],
              (Advice{{1}, "10 % of its CPU time is useful, and it has its minimum"}));
}

TEST(EfficientCpus, AProgramThatCouldNotBeSampledKeepsItsCpus) {
    NodeView view{{program("a", {client(1, 4, {})})}, 4, 0};
    EXPECT_EQ(made("efficiency")->advise(view)[0], (Advice{{4}, "its CPU time could not be sampled"}));
}

TEST(RankBalance, OneToTwoAndAHalfIsBalancedWithinFiveRounds) {
    PlayedJob job({1, 2.5}, {4, 4});
    const auto adviser = made("balance");
    for (int round = 0; round < 5; ++round) job.follow(adviser->advise(job.view(10 * round))[0]);
    EXPECT_LE(job.time(), 1.05 * job.best_of_two());
    EXPECT_EQ(std::accumulate(job.cpus().begin(), job.cpus().end(), 0), 8);
}

TEST(RankBalance, ReachesTheBestDivisionOfAnyTwoLoads) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> work(0.1, 4);
    for (int i = 0; i < 300; ++i) {
        PlayedJob job({work(random), work(random)}, {8, 8});
        const auto adviser = made("balance");
        for (int round = 0; round < 5; ++round) job.follow(adviser->advise(job.view(10 * round))[0]);
        EXPECT_LE(job.time(), 1.05 * job.best_of_two());
    }
}

TEST(RankBalance, NoiseOfFivePercentDoesNotMoveCpusBackAndForth) {
    for (const std::vector<double>& work : {std::vector{1.0, 2.5}, {1.0, 1.0}, {1.0, 1.1, 0.9, 1.0}}) {
        PlayedJob job(work, std::vector<int>(work.size(), 4), 0.05);
        const auto adviser = made("balance");
        int changes = 0;
        for (int round = 0; round < 1000; ++round)
            changes += job.follow(adviser->advise(job.view(10 * round))[0]) ? 1 : 0;
        EXPECT_LE(changes, 4) << work.size();
        EXPECT_LE(job.time(), 1.3 * work.back() * 2 / 4.0 + 1);
    }
}

TEST(RankBalance, ATradeThatMadeItSlowerIsUndoneAndNotTriedAgain) {
    // More CPUs do not help the second rank: with them the job takes twice as long.
    const auto view = [](std::vector<int> cpus, Seconds now) {
        const double pace = cpus[1] > 4 ? 0.5 : 1;
        NodeView seen{{program("job", {client(1, cpus[0], std::vector<double>(4, 1 * pace)),
                                       client(2, cpus[1], std::vector<double>(4, 4 * pace))})},
                      0,
                      now};
        return seen;
    };
    const auto adviser = made("balance");
    std::vector<int> cpus{4, 4};
    std::vector<std::vector<int>> seen;
    for (int round = 0; round < 20; ++round) {
        cpus = adviser->advise(view(cpus, 10 * round))[0].cpus;
        seen.push_back(cpus);
    }
    EXPECT_NE(seen[0], (std::vector{4, 4}));
    EXPECT_EQ(seen[1], (std::vector{4, 4}));
    EXPECT_TRUE(std::all_of(seen.begin() + 1, seen.end(), [](const auto& one) { return one == std::vector{4, 4}; }));
}

TEST(RankBalance, CpusThatWereTakenFromTheJobAreNotGivenBackByAnUndo) {
    const auto adviser = made("balance");
    const auto round = [&](int first, int second, double pace, Seconds now) {
        NodeView view{{program("job", {client(1, first, std::vector<double>(4, 1 * pace)),
                                       client(2, second, std::vector<double>(4, 4 * pace))})},
                      0,
                      now};
        const auto cpus = adviser->advise(view)[0].cpus;
        EXPECT_LE(cpus[0] + cpus[1], first + second);
        return cpus;
    };
    EXPECT_NE(round(4, 4, 1, 0), (std::vector{4, 4}));
    round(2, 2, 0.4, 10);
}

TEST(RankBalance, ARankThatIsHeldKeepsTheJobAsItIs) {
    PlayedJob job({1, 2.5}, {4, 4});
    NodeView view = job.view(0);
    view.programs[0].clients[1].held = "a request is not released yet";
    EXPECT_EQ(made("balance")->advise(view)[0], (Advice{{4, 4}, "a request is not released yet"}));
}

}  // namespace drom::policy
