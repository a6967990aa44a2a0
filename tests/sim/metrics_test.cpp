// SPDX-License-Identifier: BSD-3-Clause
// metrics_test.cpp - the numbers of a simulation, against tables that were computed by hand and against their own laws.
#include "engine/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/replication.hpp"
#include "job_outcome.hpp"
#include "property.hpp"
#include "report/digest.hpp"

namespace drom::sim {
namespace {

using drom::test::holds;

Outcome outcome_of(std::vector<JobOutcome> jobs, int nodes = 4, int cores = 2) {
    Outcome outcome;
    outcome.setting.nodes = nodes;
    outcome.setting.cores_per_node = cores;
    outcome.jobs = std::move(jobs);
    return outcome;
}

/// Returns an outcome: job 1 has both nodes from 0 to 150, and lends half of their cores to job 2 from 10 to 110.
Outcome shared_outcome() {
    JobOutcome host = job(1, 0, 0, 150, 2);
    host.run = 100;
    host.hosted = true;
    host.guests = 1;
    JobOutcome guest = job(2, 10, 10, 110, 2);
    guest.run = 50;
    guest.how = policy::How::kShared;
    guest.joined.edit() = {.mates = {1}, .lent_cores = 1};
    return outcome_of({host, guest}, 2, 2);
}

TEST(Metrics, OfThreeJobsAreThoseComputedByHand) {
    // waits 0, 90, 30; responses 100, 100, 40; slowdowns 1, 10, 4
    const Metrics metrics = measure(outcome_of({job(1, 0, 0, 100, 2), job(2, 10, 100, 110, 4), job(3, 20, 50, 60, 1)}));
    EXPECT_EQ(metrics.jobs, 3U);
    EXPECT_EQ(metrics.makespan, 110);
    EXPECT_DOUBLE_EQ(metrics.wait.mean, 40);
    EXPECT_DOUBLE_EQ(metrics.response.mean, 80);
    EXPECT_DOUBLE_EQ(metrics.slowdown.mean, 5);
    EXPECT_DOUBLE_EQ(metrics.slowdown.p50, 4);
    EXPECT_DOUBLE_EQ(metrics.slowdown.max, 10);
    EXPECT_DOUBLE_EQ(metrics.bounded_slowdown.mean, 5);
    // (100 x 2 + 10 x 4 + 10 x 1) node-seconds of 4 x 110
    EXPECT_DOUBLE_EQ(metrics.utilisation, 250.0 / 440);
    EXPECT_DOUBLE_EQ(metrics.allocated, 250.0 / 440);
    EXPECT_DOUBLE_EQ(metrics.energy_proxy, 250 + 0.5 * 190);
}

TEST(Metrics, PercentilesAreNearestRanks) {
    std::vector<JobOutcome> jobs;
    for (int i = 1; i <= 200; ++i) jobs.push_back(job(i, 0, i, i + 1));  // waits 1 to 200
    std::reverse(jobs.begin(), jobs.end());
    const Spread wait = measure(outcome_of(jobs)).wait;
    EXPECT_EQ(wait.p50, 100);
    EXPECT_EQ(wait.p95, 190);
    EXPECT_EQ(wait.p99, 198);
    EXPECT_EQ(wait.max, 200);
    const Spread one = measure(outcome_of({job(1, 0, 7, 8)})).wait;
    EXPECT_EQ(one.p50, 7);
    EXPECT_EQ(one.p99, 7);
}

TEST(Metrics, SlowdownIsOfTheStaticRunTimeAndTheStretchedOneHasItsOwn) {
    const Metrics metrics = measure(shared_outcome());
    EXPECT_DOUBLE_EQ(metrics.slowdown.mean, (150.0 / 100 + 100.0 / 50) / 2);
    EXPECT_DOUBLE_EQ(metrics.stretched_slowdown.mean, 1);
    EXPECT_EQ(metrics.malleable_starts, 1U);
    EXPECT_EQ(metrics.mates, 1U);
}

TEST(Metrics, SharedNodesAreBusyOnce) {
    const Metrics metrics = measure(shared_outcome());
    EXPECT_DOUBLE_EQ(metrics.allocated, 1);
    EXPECT_DOUBLE_EQ(metrics.utilisation, 1);  // 100 x 2 + 50 x 2 of 150 x 2
    EXPECT_DOUBLE_EQ(metrics.energy_proxy, 300);
}

// Twenty jobs on a partition ten times faster than the first had 500 % of the machine.
TEST(Metrics, NoMoreThanAllCoresAreUsedWhereAPartitionIsFaster) {
    std::vector<JobOutcome> jobs{job(1, 0, 0, 100), job(2, 0, 0, 100)};
    jobs[0].run = 100;
    jobs[1].run = 1000;
    jobs[1].point.partition = 1;
    jobs[1].point.time_factor = 0.1;
    const Metrics metrics = measure(outcome_of(jobs, 2));
    EXPECT_DOUBLE_EQ(metrics.allocated, 1);
    EXPECT_DOUBLE_EQ(metrics.utilisation, 1);
}

// Three seeds had an interval that was 3 % too narrow.
TEST(Replication, TheIntervalIsThatOfStudentsT) {
    const auto half = [](std::size_t count) {
        std::vector<double> values(count, 0);
        for (std::size_t i = 0; i < count; ++i) values[i] = i % 2 == 0 ? 1 : -1;
        return estimate(values).half;
    };
    EXPECT_NEAR(half(2), 12.706 * std::sqrt(2) / std::sqrt(2), 1e-9);
    EXPECT_NEAR(half(3), 4.303 * std::sqrt(4.0 / 3) / std::sqrt(3), 1e-9);
    EXPECT_NEAR(half(4), 3.182 * std::sqrt(4.0 / 3) / 2, 1e-9);
    EXPECT_NEAR(half(20), 2.093024 * std::sqrt(20.0 / 19) / std::sqrt(20), 1e-4);
}

TEST(Metrics, NodesOfAGuestThatOutlivesItsMateStayBusy) {
    Outcome outcome = shared_outcome();
    outcome.jobs[0].end = 60;
    EXPECT_DOUBLE_EQ(measure(outcome).allocated, 1);  // 0 to 110
}

TEST(Metrics, FreeNodesThatCompleteThoseOfMatesCount) {
    Outcome outcome = shared_outcome();
    outcome.setting.nodes = 3;
    outcome.jobs[1].nodes = 3;
    EXPECT_DOUBLE_EQ(measure(outcome).allocated, (2 * 150.0 + 100) / 450);
}

TEST(Metrics, RunTimesBelowASecondCountAsOne) {
    const JobOutcome instant = job(1, 0, 30, 30);
    EXPECT_DOUBLE_EQ(slowdown(instant), 30);
    EXPECT_DOUBLE_EQ(stretched_slowdown(instant), 30);
    EXPECT_DOUBLE_EQ(bounded_slowdown(instant), 3);
}

TEST(Metrics, BoundedSlowdownIsAtLeastOne) { EXPECT_DOUBLE_EQ(bounded_slowdown(job(1, 0, 0, 3)), 1); }

TEST(Metrics, AJobKilledAtItsLimitWouldHaveBeenSoAlone) {
    JobOutcome killed = job(1, 0, 50, 150);
    killed.run = 1000;
    killed.request = 100;
    killed.killed = true;
    EXPECT_EQ(static_run(killed), 100);
    EXPECT_DOUBLE_EQ(slowdown(killed), 1.5);
    EXPECT_EQ(measure(outcome_of({killed})).killed, 1U);
}

TEST(Metrics, JobsWithoutAnEndAreCountedAndNothingElse) {
    Outcome outcome = outcome_of({job(1, 0, 0, 100), job(2, 0, 50, 60), job(3, 5, 0, 0)});
    outcome.jobs[1].end = -1;
    outcome.jobs[2].start = outcome.jobs[2].end = -1;
    const Metrics metrics = measure(outcome);
    EXPECT_EQ(metrics.jobs, 1U);
    EXPECT_EQ(metrics.unended, 2U);
    EXPECT_DOUBLE_EQ(metrics.response.mean, 100);
    EXPECT_EQ(metrics.makespan, 100);
    EXPECT_DOUBLE_EQ(metrics.allocated, 150.0 / 400);  // the running one has its node until the last end
}

TEST(Metrics, TheTimeOfARunThatWasPreemptedCounts) {
    JobOutcome preempted = job(1, 0, 80, 100);
    preempted.history.edit().held.push_back({1, 20, 50});
    const Metrics metrics = measure(outcome_of({preempted, job(2, 0, 50, 80)}));
    EXPECT_EQ(metrics.first_start, 20);
    EXPECT_EQ(metrics.makespan, 80);
}

TEST(Metrics, OfNothingAreZero) {
    const Metrics metrics = measure(outcome_of({}));
    EXPECT_EQ(metrics.jobs, 0U);
    EXPECT_EQ(metrics.makespan, 0);
    EXPECT_EQ(metrics.first_start, 0);
    EXPECT_EQ(metrics.slowdown.mean, 0);
    EXPECT_EQ(metrics.utilisation, 0);
}

TEST(Metrics, AllAtOneSecondHasNoMakespanAndNoNonsense) {
    const Metrics metrics = measure(outcome_of({job(1, 5, 5, 5), job(2, 5, 5, 5)}));
    EXPECT_EQ(metrics.makespan, 0);
    EXPECT_EQ(metrics.utilisation, 0);
    EXPECT_TRUE(std::isfinite(metrics.slowdown.mean));
}

TEST(ShareWorse, CountsJobsByTheirPlace) {
    const Outcome baseline = outcome_of({job(1, 0, 0, 10), job(2, 0, 10, 20), job(3, 0, 20, 30), job(4, 0, 30, 40)});
    Outcome outcome = baseline;
    outcome.jobs[0].end = 15;                          // longer, no later
    outcome.jobs[1] = job(2, 0, 12, 22);               // later
    outcome.jobs[2] = job(3, 0, 5, 15);                // sooner
    outcome.jobs[3].end = outcome.jobs[3].start = -1;  // no end here
    outcome.jobs[0].run = baseline.jobs[0].run;
    const auto worse = share_worse(outcome, baseline);
    ASSERT_TRUE(worse);
    EXPECT_EQ(worse->jobs, 3U);
    EXPECT_DOUBLE_EQ(worse->slowdown, 2.0 / 3);
    EXPECT_DOUBLE_EQ(worse->wait, 1.0 / 3);
    EXPECT_FALSE(share_worse(outcome, outcome_of({})));
}

TEST(Classes, EndWhereTheirNamesSay) {
    EXPECT_EQ(node_class(1), 0U);
    EXPECT_EQ(node_class(2), 1U);
    EXPECT_EQ(node_class(3), 2U);
    EXPECT_EQ(node_class(4), 2U);
    EXPECT_EQ(node_class(5), 3U);
    EXPECT_EQ(node_class(5040), 13U);
    EXPECT_EQ(run_class(0), 0U);
    EXPECT_EQ(run_class(60), 0U);
    EXPECT_EQ(run_class(61), 1U);
    EXPECT_EQ(run_class(4 * 3600), 3U);
    EXPECT_EQ(run_class(4 * 3600 + 1), 4U);
    EXPECT_EQ(run_class(72 * 3600 + 1), kRunClasses.size());
}

TEST(Digest, HasMeansOfClassesUnderBothPolicies) {
    const Outcome baseline = outcome_of({job(1, 0, 100, 150, 2), job(2, 0, 300, 350, 2), job(3, 0, 0, 5000, 1)});
    Outcome outcome = baseline;
    outcome.jobs[0] = job(1, 0, 0, 50, 2);
    outcome.jobs[1] = job(2, 0, 50, 100, 2);
    const Digest digest = sim::digest(outcome, &baseline);
    ASSERT_EQ(digest.heat.rows.size(), 2U);
    const HeatCell& cell = digest.heat.rows[1][0];
    EXPECT_EQ(cell.jobs, 2U);
    EXPECT_DOUBLE_EQ(cell.wait, 25);
    EXPECT_DOUBLE_EQ(cell.baseline_wait, 200);
    EXPECT_DOUBLE_EQ(cell.slowdown, 1.5);
    EXPECT_DOUBLE_EQ(cell.baseline_slowdown, 5);
    EXPECT_EQ(digest.heat.rows[0][3].jobs, 1U);
}

TEST(Digest, CountsDaysBySubmitAndMalleableStartsByStart) {
    constexpr Seconds kDay = 86400;
    Outcome outcome = outcome_of(
        {job(1, 0, 0, 10), job(2, kDay - 1, kDay + 5, kDay + 15), job(3, 9 * kDay, 9 * kDay, 9 * kDay + 10)});
    outcome.jobs[1].how = policy::How::kShared;
    const std::vector<Day> days = digest(outcome).days;
    ASSERT_EQ(days.size(), 3U);
    EXPECT_EQ(days[0].jobs, 2U);
    EXPECT_EQ(days[1].day, 1);
    EXPECT_EQ(days[1].jobs, 0U);
    EXPECT_EQ(days[1].malleable_starts, 1U);
    EXPECT_EQ(days[2].day, 9);
}

TEST(Gantt, SplitsSharedNodesAndJoinsAlikeOnes) {
    Outcome outcome = shared_outcome();
    outcome.stretches = {{0, policy::NodeSet(0, 2), 2, 0, 10},
                         {0, policy::NodeSet(0, 2), 1, 10, 110},
                         {1, policy::NodeSet(0, 2), 1, 10, 110},
                         {0, policy::NodeSet(0, 2), 2, 110, 150}};
    const Gantt gantt = sim::gantt(outcome);
    EXPECT_EQ(gantt.window, (Window{0, 150}));
    ASSERT_EQ(gantt.tiles.size(), 3U);
    EXPECT_EQ(gantt.tiles[1].portions, (std::vector<Portion>{{0, 1}, {1, 1}}));
    EXPECT_EQ(gantt.tiles[1].last, 1);
    EXPECT_TRUE(gantt.jobs[1].guest);
    EXPECT_TRUE(sim::gantt(outcome, {200, 300}).empty());
}

TEST(Gantt, GivesNodesOfEachPartitionRowsOfTheirOwn) {
    Outcome outcome = outcome_of({job(1, 0, 0, 100, 2), job(2, 0, 0, 100, 2)}, 5, 4);
    outcome.setting.partitions = {{"p1", 2, 0, 4}, {"p2", 3, 0, 2}};
    outcome.stretches = {{1, policy::NodeSet(0, 2), 2, 0, 100, 1}, {0, policy::NodeSet(0, 2), 4, 0, 100, 0}};
    const Gantt gantt = sim::gantt(outcome);
    ASSERT_EQ(gantt.partitions.size(), 2U);
    EXPECT_EQ(gantt.partitions[1].name, "p2");
    EXPECT_EQ(gantt.partitions[1].nodes, 3);
    EXPECT_EQ(gantt.partitions[1].cores_per_node, 2);
    ASSERT_EQ(gantt.tiles.size(), 2U);
    for (std::size_t partition = 0; partition < 2; ++partition) {
        const Tile& tile = gantt.tiles[partition];
        EXPECT_EQ(tile.partition, partition);
        EXPECT_EQ(tile.first, 0);
        EXPECT_EQ(tile.last, 1);
        EXPECT_EQ(tile.portions, (std::vector<Portion>{{partition, gantt.partitions[partition].cores_per_node}}));
    }
}

TEST(Gantt, CutsTheWindowInsteadOfDrawingMoreThanCanBeRead) {
    Outcome outcome = outcome_of({job(1, 0, 0, 100)}, 2, 1);
    for (int i = 0; i < 10000; ++i) outcome.stretches.push_back({0, policy::NodeSet(i % 2, 1), 1, i, i + 1});
    const Gantt gantt = sim::gantt(outcome);
    EXPECT_EQ(gantt.asked.to, 10000);
    EXPECT_EQ(gantt.window.to, static_cast<Seconds>(kMaxRanges));
}

/// Returns any outcome that an engine could leave of jobs that do not share.
Outcome any_outcome() {
    Outcome outcome = outcome_of({}, *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 5));
    const int jobs = *rc::gen::inRange(0, 40);
    for (int i = 0; i < jobs; ++i) {
        const Seconds submit = *rc::gen::inRange(0, 200000), wait = *rc::gen::inRange(0, 1000),
                      run = *rc::gen::inRange(0, 5000);
        outcome.jobs.push_back(
            job(i, submit, submit + wait, submit + wait + run, *rc::gen::inRange(1, outcome.setting.nodes + 1)));
        if (*rc::gen::inRange(0, 10) == 0) outcome.jobs.back().end = -1;
    }
    return outcome;
}

TEST(MetricsLaws, HoldForAnyOutcome) {
    EXPECT_TRUE(holds("laws of metrics", [] {
        const Outcome outcome = any_outcome();
        const Metrics metrics = measure(outcome);
        RC_ASSERT(metrics.jobs + metrics.unended == outcome.jobs.size());
        for (const Spread* spread : {&metrics.wait, &metrics.response, &metrics.slowdown, &metrics.stretched_slowdown,
                                     &metrics.bounded_slowdown}) {
            RC_ASSERT(spread->p50 <= spread->p95 && spread->p95 <= spread->p99 && spread->p99 <= spread->max);
            RC_ASSERT(spread->mean <= spread->max * (1 + 1e-12));
        }
        RC_ASSERT(metrics.bounded_slowdown.mean <= std::max(1.0, metrics.slowdown.mean) * (1 + 1e-12) ||
                  metrics.slowdown.mean < 1 + 1e-12);
        RC_ASSERT(metrics.wait.mean <= metrics.response.mean);
        RC_ASSERT(metrics.utilisation <= metrics.allocated * (1 + 1e-12));
        RC_ASSERT(std::isfinite(metrics.energy_proxy));
    }));
}

TEST(MetricsLaws, ClassesAndDaysHoldEveryJobThatEnded) {
    EXPECT_TRUE(holds("nothing is lost", [] {
        const Outcome outcome = any_outcome();
        const Digest digest = sim::digest(outcome, &outcome);
        std::size_t cells = 0, days = 0;
        for (const auto& row : digest.heat.rows)
            for (const HeatCell& cell : row) {
                cells += cell.jobs;
                RC_ASSERT(cell.slowdown == cell.baseline_slowdown);
            }
        for (const Day& day : digest.days) days += day.jobs;
        RC_ASSERT(cells == digest.metrics.jobs);
        RC_ASSERT(days == digest.metrics.jobs);
        RC_ASSERT(!digest.worse || (digest.worse->slowdown == 0 && digest.worse->wait == 0));
    }));
}

/// Returns stretches of random jobs on random nodes of one to three partitions, at most as many on a node as it has
/// cores.
Outcome any_stretches() {
    const int nodes_of_each = *rc::gen::inRange(1, 12), partitions = *rc::gen::inRange(1, 4);
    Outcome outcome = outcome_of({}, nodes_of_each * partitions, 3);
    for (int p = 0; partitions > 1 && p < partitions; ++p)
        outcome.setting.partitions.push_back({"p", nodes_of_each, 0, 3});
    const int jobs = *rc::gen::inRange(1, 12);
    std::vector<std::vector<int>> used(static_cast<std::size_t>(outcome.setting.nodes), std::vector<int>(60));
    for (int i = 0; i < jobs; ++i) {
        const int from = *rc::gen::inRange(0, 50), to = *rc::gen::inRange(from + 1, 60);
        const int partition = *rc::gen::inRange(0, partitions);
        policy::NodeSet nodes;
        for (int node = 0; node < nodes_of_each; ++node) {
            auto& of = used[static_cast<std::size_t>(partition * nodes_of_each + node)];
            if (*rc::gen::arbitrary<bool>() || *std::max_element(of.begin() + from, of.begin() + to) >= 3) continue;
            for (int t = from; t < to; ++t) ++of[static_cast<std::size_t>(t)];
            nodes.insert(policy::NodeSet(node, 1));
        }
        outcome.jobs.push_back(job(i, 0, from, to));
        if (!nodes.empty()) outcome.stretches.push_back({outcome.jobs.size() - 1, nodes, 1, from, to, partition});
    }
    return outcome;
}

TEST(GanttLaws, TilesHaveTheAreaOfTheStretchesAndNeverMoreThanANode) {
    EXPECT_TRUE(holds("areas", [] {
        const Outcome outcome = any_stretches();
        const Gantt gantt = sim::gantt(outcome);
        std::int64_t wanted = 0, found = 0;
        for (const Stretch& stretch : outcome.stretches)
            wanted += stretch.nodes.count() * stretch.cores * (stretch.to - stretch.from);
        for (const Tile& tile : gantt.tiles) {
            int cores = 0;
            for (const Portion& portion : tile.portions) cores += portion.cores;
            const GanttPartition& partition = gantt.partitions.at(tile.partition);
            RC_ASSERT(cores <= partition.cores_per_node);
            RC_ASSERT(tile.first <= tile.last && tile.last < partition.nodes && tile.from < tile.to);
            found += (tile.last - tile.first + 1) * cores * (tile.to - tile.from);
        }
        RC_ASSERT(found == wanted);
    }));
}

}  // namespace
}  // namespace drom::sim
