// SPDX-License-Identifier: BSD-3-Clause
// platforms_test.cpp - which partition a job starts on, by each rule.
#include "policy/placement/platforms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace drom::policy;
using Choice = PlatformRules::Choice;

/// Two kinds of jobs on three partitions: the first kind is three times slower on the second and third.
const Slowdowns kTable({{{0, {1, 3, 3}}, {5, {1, 6, 6}}}, {{0, {2, 1, 1}}}});

Job job(JobId id, int nodes, int application = 0, Seconds request = 100) {
    Job made;
    made.id = id;
    made.nodes = nodes;
    made.request = request;
    made.application = application;
    return made;
}

/// Clusters of some nodes each, and a scheduler before them.
class Site {
public:
    Site(Choice choice, const std::vector<int>& nodes, std::vector<int> map = {}, Slowdowns slowdowns = kTable) {
        for (const int count : nodes) clusters_.emplace_back(Machine::uniform(count, 1));
        PlatformRules rules;
        rules.choice = choice;
        rules.sizes = {8, 4};
        rules.map = std::move(map);
        rules.slowdowns = std::move(slowdowns);
        scheduler_ = platforms(std::move(rules));
    }

    /// Returns the partitions of the jobs that start now, in the order of their starts.
    std::vector<int> starts(const std::vector<Job>& jobs, Seconds now = 0) {
        for (const Job& one : jobs) scheduler_->submit(one);
        Changes changes;
        scheduler_->pass(clusters_, now, false, changes);
        started_ = changes.started;
        std::vector<int> partitions;
        for (const Start& start : started_) partitions.push_back(start.decision.point.partition);
        return partitions;
    }

    const Start& started(std::size_t index) const { return started_[index]; }
    std::size_t waiting() const { return scheduler_->waiting(); }

private:
    std::vector<Cluster> clusters_;
    std::unique_ptr<Scheduler> scheduler_;
    std::vector<Start> started_;
};

TEST(Platforms, SlowdownsAreThoseOfTheSize) {
    EXPECT_EQ(kTable.of(job(1, 4), 1), 3);
    EXPECT_EQ(kTable.of(job(1, 5), 1), 6);
    EXPECT_EQ(kTable.of(job(1, 99), 1), 6);
    EXPECT_EQ(kTable.of(job(1, 1, 1), 0), 2);
    EXPECT_EQ(kTable.of(job(1, 1, 7), 1), 1);
    EXPECT_EQ(kTable.of(job(1, 1, -1), 1), 1);
    EXPECT_TRUE(std::isinf(kTable.of(job(1, 1), 3)));
}

TEST(Platforms, EffectiveSupplyIsFreeCoresTimesPerformance) {
    // 8 on the first; 20 / 3 on the second. With 4 less, the second has the larger supply.
    Site site(Choice::kSupply, {8, 20});
    EXPECT_EQ(site.starts({job(1, 4), job(2, 2)}), (std::vector<int>{0, 1}));
    EXPECT_EQ(site.started(1).decision.point.time_factor, 3);
    EXPECT_EQ(site.started(1).job.request, 300);
}

TEST(Platforms, TheOtherRules) {
    EXPECT_EQ(Site(Choice::kBestFirst, {8, 20}).starts({job(1, 4), job(2, 2), job(3, 4), job(4, 1, 1)}),
              (std::vector<int>{0, 0, 1, 1}));
    EXPECT_EQ(Site(Choice::kMostFree, {8, 10}).starts({job(1, 4), job(2, 4), job(3, 1)}), (std::vector<int>{1, 0, 1}));
    EXPECT_EQ(Site(Choice::kRoundRobin, {8, 8, 8}).starts({job(1, 8), job(2, 1), job(3, 1), job(4, 1)}),
              (std::vector<int>{0, 1, 2, 1}));
    EXPECT_EQ(Site(Choice::kBySize, {8, 8, 8}).starts({job(1, 8), job(2, 4), job(3, 3), job(4, 1)}),
              (std::vector<int>{0, 1, 2, 2}));
    EXPECT_EQ(Site(Choice::kByApplication, {8, 8, 8}, {2, 1}).starts({job(1, 1), job(2, 1, 1), job(3, 1, 5)}),
              (std::vector<int>{2, 1, 0}));
    EXPECT_EQ(Site(Choice::kFirst, {8, 8}).starts({job(1, 6), job(2, 6)}), (std::vector<int>{0}));
}

TEST(Platforms, AJobWaitsForThePartitionThatHasRoomFirst) {
    // The third waits for the first partition (100 s), not for the second (300 s). Then a short job and one on the
    // second partition may go, a long one on the first may not.
    Site site(Choice::kBestFirst, {8, 7});
    EXPECT_EQ(site.starts({job(1, 7), job(2, 6)}), (std::vector<int>{0, 1}));
    EXPECT_EQ(site.starts({job(3, 8), job(4, 1, 0, 200), job(5, 1, 0, 90)}, 1), (std::vector<int>{1, 0}));
    EXPECT_EQ(site.started(0).job.id, 4);
    EXPECT_EQ(site.started(0).decision.how, How::kBackfilled);
    EXPECT_EQ(site.waiting(), 1U);
}

TEST(Platforms, NoJobStartsWhereItsApplicationDoesNotRun) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const Slowdowns table({{{0, {1, kNever, 4}}}});
    for (const Choice choice : {Choice::kSupply, Choice::kBestFirst, Choice::kMostFree, Choice::kRoundRobin})
        EXPECT_EQ(Site(choice, {1, 99, 2}, {}, table).starts({job(1, 1), job(2, 1), job(3, 1), job(4, 1)}).size(), 3U);
    EXPECT_EQ(Site(Choice::kByApplication, {8, 8, 8}, {1}, table).starts({job(1, 1)}), std::vector<int>{0});
    EXPECT_EQ(Site(Choice::kBySize, {8, 8, 8}, {}, table).starts({job(1, 4), job(2, 1)}), (std::vector<int>{0, 2}));
}

TEST(Platforms, AJobThatFitsNowhereStopsNoOther) {
    Site site(Choice::kSupply, {8, 4});
    EXPECT_EQ(site.starts({job(1, 9), job(2, 8)}), (std::vector<int>{0}));
    EXPECT_EQ(site.waiting(), 1U);
}

}  // namespace
