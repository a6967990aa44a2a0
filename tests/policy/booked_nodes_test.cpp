// SPDX-License-Identifier: BSD-3-Clause
// booked_nodes_test.cpp - nodes that are kept empty: which ones, for which jobs, and as text.
#include "policy/cluster/booked_nodes.hpp"

#include "policy/backfill/scheduler.hpp"
#include "policy/cluster/leaving.hpp"
#include "property.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;

Job asks(JobId id, int nodes, Seconds request, Seconds limit = 0) {
    Job job;
    job.id = id;
    job.nodes = nodes;
    job.request = request;
    job.limit = limit;
    return job;
}

std::string complaint(std::string_view text) {
    std::vector<Booking> bookings;
    const auto read = read_bookings(bookings, text);
    return read ? text_of(bookings) : read.error();
}

TEST(BookedNodes, AreReadAsTheyArePrinted) {
    EXPECT_EQ(complaint("none"), "none");
    EXPECT_EQ(complaint("3600-7200:16/0-1:2"), "3600-7200:16/0-1:2");
    EXPECT_EQ(complaint(""), "has '', which is no FROM-TO:NODES; bookings look like 3600-7200:16");
    EXPECT_EQ(complaint("1-2:3/"), "has '', which is no FROM-TO:NODES; bookings look like 3600-7200:16");
    EXPECT_EQ(complaint("5:3"), "has '5:3', which is no FROM-TO:NODES; bookings look like 3600-7200:16");
    EXPECT_EQ(complaint("x-2:3"), "has 'x-2:3', which begins with a time that is not a whole number");
    EXPECT_EQ(complaint("1-:3"), "has '1-:3', which ends with a time that is not a whole number");
    EXPECT_EQ(complaint("1-2:0"),
              "has '1-2:0', which has a number of nodes that is out of range; 1 to 1000000000 can be meant");
    EXPECT_EQ(complaint("7-7:1"), "has '7-7:1', which ends before it begins");
}

TEST(BookedNodes, AreThoseWithTheHighestNumbersAndOnlyForJobsThatWouldStillRun) {
    const Cluster cluster(Machine::uniform(10, 1));
    const BookedNodes booked(cluster.machine(), {{100, 200, 4}, {150, 300, 2}});
    EXPECT_EQ(booked.segments().size(), 3U);
    EXPECT_EQ(booked.pick(cluster, asks(0, 10, 100), 0).count(), 10) << "it ends as the booking begins";
    EXPECT_EQ(booked.pick(cluster, asks(0, 6, 101), 0).text(), "0-5");
    EXPECT_TRUE(booked.pick(cluster, asks(0, 7, 101), 0).empty());
    EXPECT_TRUE(booked.pick(cluster, asks(0, 7, 50, 101), 0).empty()) << "its limit is what counts";
    EXPECT_EQ(booked.pick(cluster, asks(0, 8, 500), 200).text(), "0-7");
    EXPECT_EQ(booked.pick(cluster, asks(0, 10, 500), 300).count(), 10);
    EXPECT_EQ(booked.next_end(0), 200);
    EXPECT_EQ(booked.next_end(200), 300);
    EXPECT_EQ(booked.next_end(300), kNever);
}

TEST(BookedNodes, OfMoreNodesThanTheMachineHasAreAll) {
    const Cluster cluster(Machine::uniform(4, 1));
    const BookedNodes booked(cluster.machine(), {{0, 10, 100}});
    EXPECT_TRUE(booked.pick(cluster, asks(0, 1, 1), 9).empty());
    EXPECT_EQ(booked.pick(cluster, asks(0, 4, 1), 10).count(), 4);
}

TEST(BookedNodes, AMapHasThemWhileTheyAreNotBooked) {
    const Cluster cluster(Machine::uniform(10, 1));
    const BookedNodes booked(cluster.machine(), {{100, 200, 4}});
    const Availability map(cluster, 0, 1, booked);
    EXPECT_EQ(map.earliest(asks(0, 10, 100), 0), 0);
    EXPECT_EQ(map.earliest(asks(0, 10, 101), 0), 200);
    EXPECT_EQ(map.earliest(asks(0, 6, 1000), 0), 0);
}

TEST(BookedNodes, AJobThatWaitsForThemStartsWhenTheBookingEnds) {
    BackfillRules rules = BackfillRules::easy();
    rules.bookings = {{0, 500, 4}};
    const auto scheduler = backfill(rules);
    Cluster cluster(Machine::uniform(10, 1));
    scheduler->submit(asks(0, 8, 100));
    Changes changes;
    scheduler->pass({&cluster, 1}, 10, false, changes);
    EXPECT_TRUE(changes.started.empty());
    EXPECT_EQ(scheduler->wake(), 500);
    scheduler->pass({&cluster, 1}, 500, false, changes);
    EXPECT_EQ(changes.started.size(), 1U);
    EXPECT_EQ(scheduler->wake(), kNever);
}

std::unique_ptr<Scheduler> leaving_scheduler(const std::vector<Booking>& bookings, Seconds lead) {
    BackfillRules rules = BackfillRules::easy();
    rules.bookings = bookings;
    rules.leave_lead = lead;
    return backfill(rules);
}

Job rigid(Job job) {
    job.kind = Kind::kRigid;
    return job;
}

TEST(Leaving, AMalleableJobUsesBookedNodesAndLeavesThemBeforeTheBookingBegins) {
    const auto scheduler = leaving_scheduler({{1000, 2000, 2}}, 60);
    Cluster cluster(Machine::uniform(4, 4));
    scheduler->submit(asks(0, 4, 1500));
    Changes changes;
    scheduler->pass({&cluster, 1}, 0, false, changes);
    ASSERT_EQ(changes.started.size(), 1U);
    EXPECT_EQ(scheduler->wake(), 940);
    scheduler->pass({&cluster, 1}, 940, false, changes);
    ASSERT_EQ(changes.resized.size(), 1U);
    EXPECT_EQ(changes.resized[0].from, 4);
    EXPECT_EQ(changes.resized[0].to, 2);
    const int slot = changes.started[0].decision.slot;
    EXPECT_EQ(cluster.nodes_of(slot).text(), "0-1");
    EXPECT_EQ(cluster.running(slot).end, 940 + 2 * 560);
    EXPECT_EQ(cluster.running(slot).limit_end, 940 + 2 * 560);
    EXPECT_EQ(cluster.inconsistency(), "");
    EXPECT_EQ(scheduler->wake(), kNever);
}

TEST(Leaving, WithoutALeadTheNodesAreHeldEmpty) {
    const auto scheduler = leaving_scheduler({{1000, 2000, 2}}, kNever);
    Cluster cluster(Machine::uniform(4, 4));
    scheduler->submit(asks(0, 4, 1500));
    Changes changes;
    scheduler->pass({&cluster, 1}, 0, false, changes);
    EXPECT_TRUE(changes.started.empty());
    EXPECT_EQ(scheduler->wake(), 2000);
}

// Of 4 nodes it would keep one.
TEST(Leaving, NoJobStartsThatWouldLoseMoreThanHalfOfItsNodesOrIsRigid) {
    for (const Job& job : {asks(0, 4, 1500), rigid(asks(0, 2, 1500))}) {
        const auto scheduler = leaving_scheduler({{1000, 2000, 3}}, 60);
        Cluster cluster(Machine::uniform(4, 4));
        scheduler->submit(job);
        Changes changes;
        scheduler->pass({&cluster, 1}, 0, false, changes);
        EXPECT_TRUE(changes.started.empty());
    }
}

TEST(Leaving, NoJobStartsOnNodesThatItWouldHaveToLeaveAtOnce) {
    const auto scheduler = leaving_scheduler({{1000, 2000, 2}}, 60);
    Cluster cluster(Machine::uniform(4, 4));
    scheduler->submit(asks(0, 4, 1500));
    Changes changes;
    scheduler->pass({&cluster, 1}, 940, false, changes);
    EXPECT_TRUE(changes.started.empty());
}

// The prediction says 600 s, the limit 3000 s. At 940 it has not ended.
TEST(Leaving, AJobIsPlannedByItsLimitOnceItHasLeft) {
    Cluster cluster(Machine::uniform(4, 4));
    const int slot = cluster.start(asks(0, 4, 600, 3000), NodeSet(0, 4), 0);
    cluster.leave_nodes(slot, NodeSet(2, 2), 940);
    EXPECT_EQ(cluster.running(slot).end, 940 + 2 * (3000 - 940));
    EXPECT_EQ(cluster.running(slot).limit_end, 940 + 2 * (3000 - 940));
    EXPECT_EQ(cluster.free().text(), "2-3");
    EXPECT_FALSE(cluster.correct_predictions(950));
}

// It keeps nodes 0 and 1 until 2060; without that the map had all of 0 to 3 at 1500.
TEST(Leaving, AMapHasTheNodesThatAJobKeepsForLonger) {
    Cluster cluster(Machine::uniform(6, 4));
    const BookedNodes booked(cluster.machine(), {{1000, 1200, 4}});
    const Leaving leaving(booked, 60);
    cluster.start(asks(0, 4, 1500), NodeSet(0, 4), 0);
    EXPECT_EQ(leaving.next(cluster, 0), 940);
    EXPECT_TRUE(leaving.due(cluster, 0, 939).empty());
    EXPECT_EQ(leaving.due(cluster, 0, 940).text(), "2-3");
    Availability map(cluster, 0, 1, booked);
    EXPECT_EQ(map.earliest(asks(1, 6, 100), 0), 1500);
    leaving.keep(map, cluster, 0);
    EXPECT_EQ(map.earliest(asks(1, 6, 100), 0), 2060);
}

TEST(BookedNodes, ABookingThatIsOverChangesNothing) {
    EXPECT_TRUE(holds("a booking that is over", [] {
        const int nodes = *rc::gen::inRange(1, 12);
        BackfillRules with = BackfillRules::easy();
        with.bookings = {{0, 5, *rc::gen::inRange(1, nodes + 1)}};
        const auto booked = backfill(with), plain = backfill(BackfillRules::easy());
        Cluster here(Machine::uniform(nodes, 2)), there(Machine::uniform(nodes, 2));
        Seconds now = 5;
        for (JobId id = 0; id < 20; ++id) {
            now += *rc::gen::inRange<Seconds>(0, 40);
            bool ended = false;
            for (int slot = 0; slot < here.slots(); ++slot)
                if (here.running(slot).runs && here.running(slot).end <= now) {
                    here.finish(slot, now);
                    there.finish(slot, now);
                    ended = true;
                }
            const Job job = asks(id, *rc::gen::inRange(1, nodes + 1), *rc::gen::inRange<Seconds>(1, 100));
            booked->submit(job);
            plain->submit(job);
            Changes ours, theirs;
            booked->pass({&here, 1}, now, ended, ours);
            plain->pass({&there, 1}, now, ended, theirs);
            RC_ASSERT(ours.started.size() == theirs.started.size());
            for (std::size_t i = 0; i < ours.started.size(); ++i)
                RC_ASSERT(here.nodes_of(ours.started[i].decision.slot) ==
                          there.nodes_of(theirs.started[i].decision.slot));
        }
    }));
}

// ---- guests ---------------------------------------------------------------------------------------------------------

/// Returns whether a job of 2 nodes and 100 s comes beside one that has nodes 2 and 3 for 1000 s. Those are booked; a
/// rigid job has the others.
bool comes_beside(Seconds booked_from, SlowdownRules::Keep keep, Seconds limit = 0) {
    BackfillRules rules = BackfillRules::easy();
    rules.bookings = {{booked_from, 9000, 2}};
    SlowdownRules sharing;
    sharing.limit = SlowdownRules::Limit::kInfinite;
    sharing.keep = keep;
    const auto scheduler = backfill(rules, sharing);
    Cluster cluster(Machine::uniform(4, 4));
    Changes changes;
    scheduler->submit(rigid(asks(0, 2, 5000)));
    scheduler->submit(asks(1, 2, 1000));
    scheduler->pass({&cluster, 1}, 0, false, changes);
    EXPECT_EQ(changes.started.size(), 2U);
    changes.clear();
    scheduler->submit(asks(2, 2, 100, limit));
    scheduler->pass({&cluster, 1}, 10, false, changes);
    return !changes.started.empty() && changes.started[0].decision.how == How::kShared;
}

// The guest takes half of the cores for 200 s, and so its mate ends at 1100. By limits it is 1150.
TEST(BookedNodes, AGuestComesOnlyWhereItsMateEndsBeforeTheBookingBegins) {
    for (const SlowdownRules::Keep keep : {SlowdownRules::Keep::kNone, SlowdownRules::Keep::kAll}) {
        EXPECT_TRUE(comes_beside(1100, keep));
        EXPECT_FALSE(comes_beside(1099, keep));
        EXPECT_TRUE(comes_beside(1150, keep, 150));
        EXPECT_FALSE(comes_beside(1149, keep, 150)) << "the limit is what counts";
    }
}

// Job 1 waits for nodes 0 and 1, which job 0 has until 1000. The nodes of the booking do not make up for them.
TEST(BookedNodes, NoMateDelaysAReservationForNodesThatAreBooked) {
    for (const SlowdownRules::Keep keep : {SlowdownRules::Keep::kNone, SlowdownRules::Keep::kFirst}) {
        BackfillRules rules = BackfillRules::easy();
        rules.bookings = {{500, 9000, 2}};
        SlowdownRules sharing;
        sharing.limit = SlowdownRules::Limit::kInfinite;
        sharing.keep = keep;
        const auto scheduler = backfill(rules, sharing);
        Cluster cluster(Machine::uniform(4, 4));
        Changes changes;
        scheduler->submit(asks(0, 2, 1000));
        scheduler->submit(rigid(asks(1, 2, 2000)));
        scheduler->submit(asks(2, 2, 300));
        scheduler->pass({&cluster, 1}, 210, false, changes);
        EXPECT_EQ(changes.started.size(), keep == SlowdownRules::Keep::kNone ? 2U : 1U);
    }
}

}  // namespace
