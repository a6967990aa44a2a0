// SPDX-License-Identifier: BSD-3-Clause
// equipartition_test.cpp - equal shares with a cool-down, and split-phase execution.
#include "policy/resize/equipartition.hpp"

#include <numeric>

#include "policy/job/resize_traits.hpp"
#include "policy/resize/equipartition_scheduler.hpp"
#include "property.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

constexpr Seconds kGap = 100;

Shareholder job(JobId id, int size, Seconds changed) { return {id, size, changed, 4, 16}; }

TEST(EqualShares, GoOneUnitAtATimeToTheSmallest) {
    const std::vector<Shareholder> jobs = {job(1, 16, 0), job(2, 0, 0), job(3, 0, 0)};
    EXPECT_EQ(equal_shares(jobs, 16, kGap, 100), (std::vector<int>{6, 5, 5}));
}

TEST(EqualShares, LeaveTheSizesOfThoseThatCoolDown) {
    const std::vector<Shareholder> jobs = {job(1, 10, 50), job(2, 6, 0), job(3, 0, 0)};
    EXPECT_EQ(equal_shares(jobs, 16, kGap, 100), (std::vector<int>{10, 6, 0})) << "no minimum fits beside them";
    EXPECT_EQ(equal_shares(jobs, 20, kGap, 100), (std::vector<int>{10, 5, 5}));
    EXPECT_EQ(equal_shares(jobs, 20, kNever, 100), (std::vector<int>{10, 6, 4}));
}

TEST(EqualShares, GiveMinimaInOrderAndNothingBeyondTheMaximum) {
    const std::vector<Shareholder> jobs = {job(1, 0, 0), job(2, 0, 0), job(3, 0, 0)};
    EXPECT_EQ(equal_shares(jobs, 11, kGap, 0), (std::vector<int>{6, 5, 0}));
    EXPECT_EQ(equal_shares(jobs, 99, kGap, 0), (std::vector<int>{16, 16, 16}));
}

TEST(EqualShares, WasteNothingThatAJobCouldUse) {
    EXPECT_TRUE(holds("bounds, cool-down, work conserved", [] {
        const Seconds gap = *rc::gen::inRange<Seconds>(0, 200);
        std::vector<Shareholder> jobs;
        int used = 0;
        for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
            const int min = *rc::gen::inRange(1, 5), max = *rc::gen::inRange(5, 12);
            const int size = *rc::gen::arbitrary<bool>() ? 0 : *rc::gen::inRange(min, max + 1);
            jobs.push_back({i, size, *rc::gen::inRange<Seconds>(0, 100), min, max});
            used += size;
        }
        const int units = used + *rc::gen::inRange(0, 20);
        const std::vector<int> sizes = equal_shares(jobs, units, gap, 100);
        const int sum = std::accumulate(sizes.begin(), sizes.end(), 0);
        RC_ASSERT(sum <= units);
        bool any_smaller = false;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const bool free_to_change = jobs[i].size == 0 || 100 - jobs[i].changed >= gap;
            if (jobs[i].size > 0) RC_ASSERT(sizes[i] >= jobs[i].min);
            RC_ASSERT(sizes[i] <= jobs[i].max);
            if (!free_to_change) RC_ASSERT(sizes[i] == jobs[i].size);
            any_smaller = any_smaller || (free_to_change && sizes[i] > 0 && sizes[i] < jobs[i].max);
            if (sizes[i] == 0) RC_ASSERT(jobs[i].size == 0);
        }
        if (any_smaller) RC_ASSERT(sum == units);
    }));
}

TEST(EqualShares, NeedAGapOfTenTimesTheCost) { EXPECT_EQ(min_gap_for(7), 70); }

// ---- split-phase execution -----------------------------------------------------------------------------------------

using Steps = std::vector<Step>;

TEST(SplitPhase, PostsAtOnceWhatNeedsNoOthersUnits) {
    SplitPhase phase(4, 60);
    EXPECT_EQ(phase.plan(Steps{{1, 10, 6}, {2, 2, 5}, {3, 0, 4}}, 0), (Steps{{1, 10, 6}, {2, 2, 5}}));
    EXPECT_EQ(phase.free(), 1);
    EXPECT_FALSE(phase.steady());
    EXPECT_EQ(phase.acknowledged(1), (Steps{{3, 0, 4}}));
    EXPECT_TRUE(phase.steady());
    EXPECT_EQ(phase.free(), 1);
}

TEST(SplitPhase, RollsBackAShrinkThatIsTooLate) {
    SplitPhase phase(0, 60);
    phase.plan(Steps{{1, 10, 6}, {2, 0, 4}}, 100);
    EXPECT_EQ(phase.deadline(), 160);
    EXPECT_TRUE(phase.expire(159).empty());
    EXPECT_EQ(phase.expire(160), (Steps{{1, 10, 6}}));
    EXPECT_TRUE(phase.steady());
    EXPECT_EQ(phase.deadline(), kNever);
    EXPECT_TRUE(phase.acknowledged(1).empty()) << "it was withdrawn";
    EXPECT_EQ(phase.free(), 0);
}

TEST(SplitPhase, GivesTheUnitsOfAJobThatEndsWhileItShrinks) {
    SplitPhase phase(0, 60);
    phase.plan(Steps{{1, 10, 6}, {2, 0, 8}}, 0);
    phase.forget(1, 10);
    EXPECT_EQ(phase.post(), (Steps{{2, 0, 8}}));
    EXPECT_EQ(phase.free(), 2);
}

TEST(SplitPhase, UsesNoUnitTwice) {
    EXPECT_TRUE(holds("units in use never exceed the machine", [] {
        constexpr int kUnits = 20;
        SplitPhase phase(kUnits, 50);
        std::map<JobId, int> held;  // as the machine sees it
        const auto post = [&](const Steps& steps) {
            for (const Step& step : steps)
                if (!step.shrinks()) held[step.job] = step.to;
        };
        std::map<JobId, int> shrinking;
        for (Seconds now = 0; now < 400; now += 10) {
            std::vector<Shareholder> jobs;
            for (JobId id = 0; id < 4; ++id) jobs.push_back({id, held[id], 0, 1, *rc::gen::inRange(1, kUnits)});
            const std::vector<int> sizes = equal_shares(jobs, kUnits, 0, now);
            Steps steps;
            for (std::size_t i = 0; i < jobs.size(); ++i) steps.push_back({jobs[i].id, jobs[i].size, sizes[i]});
            if (phase.steady()) {
                for (const Step& step : phase.plan(steps, now)) {
                    if (step.shrinks()) shrinking[step.job] = step.to;
                    post({step});
                }
            }
            if (!shrinking.empty() && *rc::gen::arbitrary<bool>()) {
                const auto [job, to] = *shrinking.begin();
                shrinking.erase(shrinking.begin());
                held[job] = to;
                post(phase.acknowledged(job));
            }
            for (const Step& late : phase.expire(now)) shrinking.erase(late.job);
            int used = 0;
            for (const auto& [job, units] : held) used += units;
            RC_ASSERT(used + phase.free() == kUnits);
        }
    }));
}

// ---- the scheduler -------------------------------------------------------------------------------------------------

/// A machine of six nodes under equipartition.
struct Six {
    Six() { traits.sizes.max = 6; }

    void submit(JobId id, Seconds now) {
        Job one;
        one.id = id;
        one.submit = now;
        one.request = 1000;
        one.resize = &traits;
        scheduler->submit(one);
    }
    void submit_fixed(JobId id, int nodes) {
        Job one;
        one.id = id;
        one.nodes = nodes;
        scheduler->submit(one);
    }
    void pass(Seconds now, bool ended = false) { scheduler->pass({&cluster, 1}, now, ended, changes); }
    int slot_of(JobId id) const {
        for (int slot = 0; slot < cluster.slots(); ++slot)
            if (cluster.running(slot).runs && cluster.running(slot).job.id == id) return slot;
        return -1;
    }
    int size_of(JobId id) const { return cluster.running(slot_of(id)).job.nodes; }
    void finish(JobId id, Seconds now) {
        cluster.finish(slot_of(id), now);
        scheduler->ended(id, now);
    }

    ResizeTraits traits;
    Cluster cluster{Machine::uniform(6, 1)};
    std::unique_ptr<Scheduler> scheduler = equipartition({10, 1, 6, 60, false});
    Changes changes;
};

// The nodes of the first that had ended went to the second, which had ended, too: the scheduler crashed.
TEST(Equipartition, TwoJobsThatWaitToGrowEndAtOnce) {
    Six six;
    six.submit(1, 0);
    six.submit(2, 0);
    six.submit_fixed(3, 4);
    six.pass(0);
    six.finish(3, 5);
    six.submit(4, 5);
    six.pass(5, true);
    six.pass(15);
    EXPECT_EQ(six.changes.resized.size(), 1U) << "job 4 is to shrink, and the others wait for that";
    six.finish(1, 16);
    six.finish(2, 16);
    six.pass(16, true);
    six.scheduler->shrunk(0, six.slot_of(4));
    six.pass(20);
    six.submit(5, 40);
    six.pass(40);
    EXPECT_GE(six.slot_of(5), 0);
}

// Its nodes were free when it was gone: the scheduler crashed.
TEST(Equipartition, AJobThatWaitsForNodesIsTakenBack) {
    Six six;
    six.submit(1, 0);
    six.pass(0);
    six.submit(2, 20);
    six.pass(20);
    EXPECT_TRUE(six.scheduler->cancel(2));
    six.scheduler->shrunk(0, six.slot_of(1));
    six.pass(21);
    EXPECT_EQ(six.scheduler->waiting(), 0U);
    six.pass(40);
    EXPECT_EQ(six.size_of(1), 6) << "it grows again";
}

}  // namespace
