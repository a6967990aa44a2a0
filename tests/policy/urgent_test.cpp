// SPDX-License-Identifier: BSD-3-Clause
// urgent_test.cpp - how urgent jobs come to nodes, and which jobs lose theirs.
#include "policy/urgent/urgent.hpp"

#include "property.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;

constexpr int kQos = 7;

Job asks(JobId id, int nodes, Seconds request, bool is_urgent = false) {
    Job job;
    job.id = id;
    job.nodes = nodes;
    job.request = request;
    job.qos = is_urgent ? kQos : 0;
    return job;
}

SlowdownRules rules() {
    SlowdownRules rules;
    rules.limit = SlowdownRules::Limit::kInfinite;
    rules.sharing.limits.urgent = {"urgent"};
    rules.sharing.limits.set_numbers({}, {{"urgent", kQos}, {"normal", 0}});
    return rules;
}

Changes passed(Scheduler& scheduler, Cluster& cluster, Seconds now) {
    Changes changes;
    scheduler.pass({&cluster, 1}, now, true, changes);
    return changes;
}

/// A machine of 8 nodes of 4 cores that is full: jobs 0, 1 and 2 have 4, 2 and 2 nodes until 1000; job 3 waits for 4.
struct Full {
    explicit Full(UrgentBy by) : scheduler(urgent(by, rules())) {
        for (const auto& [id, nodes] : {std::pair{0, 4}, {1, 2}, {2, 2}}) scheduler->submit(asks(id, nodes, 1000));
        passed(*scheduler, cluster, 0);
        scheduler->submit(asks(3, 4, 10));
        EXPECT_TRUE(passed(*scheduler, cluster, 1).started.empty());
    }
    Changes with(const Job& job, Seconds now = 100) {
        scheduler->submit(job);
        return passed(*scheduler, cluster, now);
    }
    /// Ends the job; the one that has as many nodes and came first.
    void finish(JobId id, Seconds now) {
        for (int slot = 0; slot < cluster.slots(); ++slot)
            if (cluster.running(slot).runs && cluster.running(slot).job.id == id) return cluster.finish(slot, now);
        FAIL() << "job " << id << " does not run";
    }

    Cluster cluster{Machine::uniform(8, 4)};
    std::unique_ptr<Scheduler> scheduler;
};

std::vector<JobId> ids(const std::vector<Start>& starts) {
    std::vector<JobId> all;
    for (const Start& start : starts) all.push_back(start.job.id);
    return all;
}

std::vector<JobId> ids(const std::vector<Preemption>& preemptions) {
    std::vector<JobId> all;
    for (const Preemption& preemption : preemptions) all.push_back(preemption.job);
    return all;
}

TEST(Urgent, WaitsAsAllOthersOrInFront) {
    for (const bool front : {false, true}) {
        Full full(front ? UrgentBy::kFirst : UrgentBy::kWait);
        EXPECT_TRUE(full.with(asks(4, 4, 10, true)).started.empty());
        full.finish(0, 200);
        const Changes changes = passed(*full.scheduler, full.cluster, 200);
        EXPECT_EQ(ids(changes.started), std::vector<JobId>{front ? 4 : 3});
        EXPECT_EQ(changes.started[0].decision.urgent, front);
        EXPECT_TRUE(changes.preempted.empty());
    }
}

TEST(Urgent, SharesBesideRunningJobsAndNoneEnds) {
    Full full(UrgentBy::kShareFirst);
    const Changes changes = full.with(asks(4, 4, 10, true));
    ASSERT_EQ(ids(changes.started), std::vector<JobId>{4});
    EXPECT_EQ(changes.started[0].decision.how, How::kShared);
    EXPECT_TRUE(changes.preempted.empty());
    EXPECT_EQ(full.cluster.inconsistency(), "");
}

TEST(Urgent, TakesThePlaceOfTheJobsThatCameLastAndOfNoMoreThanItNeeds) {
    Full full(UrgentBy::kPreempt);
    const Changes changes = full.with(asks(4, 2, 10, true));
    EXPECT_EQ(ids(changes.preempted), std::vector<JobId>{2});
    ASSERT_EQ(ids(changes.started), std::vector<JobId>{4});
    EXPECT_TRUE(changes.started[0].decision.urgent);
    // 3 nodes: jobs 2 and 1 have 4 of them.
    Full other(UrgentBy::kPreempt);
    EXPECT_EQ(ids(other.with(asks(4, 3, 10, true)).preempted), (std::vector<JobId>{2, 1}));
    // 6 nodes: of jobs 2, 1 and 0 that makes 8, and job 1 is spared.
    Full third(UrgentBy::kPreempt);
    EXPECT_EQ(ids(third.with(asks(4, 6, 10, true)).preempted), (std::vector<JobId>{2, 0}));
    EXPECT_EQ(third.cluster.inconsistency(), "");
}

TEST(Urgent, AJobThatWasPreemptedWaitsWhereItWas) {
    Full full(UrgentBy::kPreempt);
    full.with(asks(4, 2, 10, true));
    EXPECT_EQ(full.scheduler->waiting(), 2U) << "jobs 2 and 3";
    full.finish(4, 110);
    full.scheduler->ended(4, 10);
    EXPECT_EQ(ids(passed(*full.scheduler, full.cluster, 110).started), std::vector<JobId>{2});
    EXPECT_TRUE(full.scheduler->cancel(3));
}

TEST(Urgent, NeitherUrgentJobsNorThoseThatShareArePreempted) {
    Full full(UrgentBy::kShareFirst);
    full.with(asks(4, 4, 10, true));  // beside job 0, or beside 1 and 2
    Full all(UrgentBy::kPreempt);
    all.with(asks(4, 8, 500, true));
    const Changes changes = all.with(asks(5, 8, 10, true), 101);
    EXPECT_TRUE(changes.preempted.empty());
    EXPECT_TRUE(changes.started.empty());
}

TEST(Urgent, PreemptsWhereNoRunningJobCanMakeRoom) {
    Full full(UrgentBy::kShareFirst);
    const Changes changes = full.with(asks(4, 3, 10, true));  // no jobs have 3 nodes together
    EXPECT_EQ(ids(changes.started), std::vector<JobId>{4});
    EXPECT_EQ(ids(changes.preempted), (std::vector<JobId>{2, 1}));
    Full patient(UrgentBy::kShare);
    EXPECT_TRUE(patient.with(asks(4, 3, 10, true)).started.empty());
}

// At 700 it would end at 1500 on half of the cores, and at 1400 where it waits until 1000.
TEST(Urgent, NoJobLosesItsWorkWhereAShortWaitIsBetterThanSharing) {
    Full full(UrgentBy::kShareFirst);
    const Changes changes = full.with(asks(4, 4, 400, true), 700);
    EXPECT_TRUE(changes.started.empty());
    EXPECT_TRUE(changes.preempted.empty());
}

TEST(Urgent, WithoutUrgentJobsItDecidesAsEasy) {
    EXPECT_TRUE(holds("urgent() equals easy()", [] {
        const int nodes = *rc::gen::inRange(1, 20);
        const auto by = *rc::gen::element(UrgentBy::kWait, UrgentBy::kFirst, UrgentBy::kShare, UrgentBy::kPreempt,
                                          UrgentBy::kShareFirst);
        Cluster here(Machine::uniform(nodes, 4)), there(Machine::uniform(nodes, 4));
        const auto mine = urgent(by, rules()), plain = easy();
        Seconds now = 0;
        std::vector<int> running;
        for (JobId id = 0; id < 40; ++id) {
            now += *rc::gen::inRange<Seconds>(0, 40);
            bool ended = false;
            if (!running.empty() && *rc::gen::arbitrary<bool>()) {
                const auto which = *rc::gen::inRange<std::size_t>(0, running.size());
                mine->ended(here.running(running[which]).job.id, 1);
                here.finish(running[which], now);
                there.finish(running[which], now);
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
                ended = true;
            }
            // With kWait an urgent job is as any other.
            const bool is_urgent = by == UrgentBy::kWait && *rc::gen::arbitrary<bool>();
            const Job job = asks(id, *rc::gen::inRange(1, nodes + 1), *rc::gen::inRange<Seconds>(1, 200), is_urgent);
            mine->submit(job);
            plain->submit(job);
            Changes ours, theirs;
            mine->pass({&here, 1}, now, ended, ours);
            plain->pass({&there, 1}, now, ended, theirs);
            RC_ASSERT(ids(ours.started) == ids(theirs.started));
            for (std::size_t i = 0; i < ours.started.size(); ++i) {
                RC_ASSERT(ours.started[i].decision.how == theirs.started[i].decision.how);
                RC_ASSERT(ours.started[i].decision.slot == theirs.started[i].decision.slot);
                running.push_back(ours.started[i].decision.slot);
            }
        }
    }));
}

}  // namespace
