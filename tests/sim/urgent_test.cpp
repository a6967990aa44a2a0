// SPDX-License-Identifier: BSD-3-Clause
// urgent_test.cpp - urgent jobs of a log: which there are, what they wait, and what the others lose.
#include <algorithm>
#include <fstream>

#include "engine/engine.hpp"
#include "engine/job_labels.hpp"
#include "engine/metrics.hpp"
#include "property.hpp"
#include "report/digest.hpp"
#include "report/idle_policy.hpp"
#include "report/jobs_csv.hpp"
#include "report/summary_json.hpp"
#include "temp_dir.hpp"
#include "workload/models/urgent_queue.hpp"

namespace {

using namespace drom::sim;

LogJob job(std::int64_t id, Seconds submit, int nodes, Seconds run, int queue = 0) {
    LogJob made;
    made.id = id;
    made.submit = submit;
    made.processors = std::int64_t{4} * nodes;
    made.run = made.request = run;
    made.queue = queue;
    return made;
}

/// Returns jobs that fill 8 nodes until 1000, and an urgent one that comes at 100 and takes 50 s on 4 of them.
Workload full() {
    Workload workload;
    workload.name = "full";
    workload.jobs = {job(1, 0, 4, 1000), job(2, 0, 4, 1000), job(3, 100, 4, 50, 1)};
    workload.header = {{"Queue", "1 urgent"}};
    return workload;
}

Outcome simulated(const Workload& workload, const std::string& setting) {
    auto parameters = read_setting(setting, {});
    EXPECT_TRUE(parameters.has_value()) << (parameters ? "" : parameters.error());
    const auto set = set_job_numbers(*parameters, workload);
    EXPECT_TRUE(set.has_value()) << (set ? "" : set.error());
    const auto scheduler = parameters->policy.scheduler();
    Outcome outcome = simulate(changed(workload, parameters->run), *scheduler, engine_rules_of(*parameters, 8, 4));
    outcome.setting.nodes = 8;
    return outcome;
}

TEST(Urgent, APreemptedJobStartsAnewAndItsWorkIsCountedAsLost) {
    const Outcome outcome = simulated(full(), "urgent:urgent_by=preempt");
    const JobOutcome& victim = outcome.jobs[1];
    EXPECT_EQ(outcome.jobs[2].start, 100);
    EXPECT_TRUE(outcome.jobs[2].urgent);
    EXPECT_EQ(victim.history->preempted, 1);
    EXPECT_EQ(victim.start, 150);
    EXPECT_EQ(victim.end, 1150);
    EXPECT_DOUBLE_EQ(victim.history->lost_node_seconds, 400);
    EXPECT_DOUBLE_EQ(victim.node_seconds, 4400);
    const Metrics metrics = measure(outcome);
    EXPECT_EQ(metrics.urgent, 1U);
    EXPECT_EQ(metrics.urgent_wait, 0);
    EXPECT_EQ(metrics.preemptions, 1U);
    EXPECT_DOUBLE_EQ(metrics.lost_node_seconds, 400);
    EXPECT_DOUBLE_EQ(metrics.allocated, (4400 + 4000 + 200) / (8 * 1150.0)) << "nodes of the lost run count";
}

TEST(Urgent, AJobThatWasPreemptedIsInTheTableOfDecisions) {
    const Outcome outcome = simulated(full(), "urgent:urgent_by=preempt");
    const drom::test::TempDir folder;
    ASSERT_TRUE(write_decisions_csv(folder.path() + "/decisions.csv", outcome));
    std::ifstream file(folder.path() + "/decisions.csv");
    std::vector<std::string> rows;
    for (std::string row; std::getline(file, row);)
        if (row.find("preempted") != std::string::npos) rows.push_back(row);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0],
              "2,0,preempted,\"job 2 (4 nodes, 1000 s requested) made room for an urgent job at 100, after 100 s on 4 "
              "nodes, and waited again\",,,,,,");
}

TEST(Urgent, SharingLosesNothingAndTheUrgentJobStartsAtOnce) {
    const Metrics metrics = measure(simulated(full(), "urgent"));
    EXPECT_EQ(metrics.urgent_wait, 0);
    EXPECT_EQ(metrics.malleable_starts, 1U);
    EXPECT_EQ(metrics.preemptions, 0U);
    EXPECT_EQ(metrics.lost_node_seconds, 0);
    EXPECT_EQ(measure(simulated(full(), "urgent:urgent_by=wait")).urgent_wait, 900);
    EXPECT_EQ(measure(simulated(full(), "easy")).urgent, 0U) << "no other policy knows urgent jobs";
}

TEST(Urgent, WhereNoJobIsMalleableItPreempts) {
    EXPECT_EQ(measure(simulated(full(), "urgent:malleable_share=0")).preemptions, 1U);
    EXPECT_EQ(measure(simulated(full(), "urgent:malleable_share=0,urgent_by=share")).urgent_wait, 900);
}

TEST(Urgent, TheSummaryHasUrgentJobsOnlyWhereThereAreSome) {
    EXPECT_NE(summary_json(digest(simulated(full(), "urgent"))).find("\"urgent_wait_mean\": 0.0"), std::string::npos);
    EXPECT_EQ(summary_json(digest(simulated(full(), "easy"))).find("urgent_wait_mean"), std::string::npos);
}

TEST(Urgent, WithoutAnUrgentJobItIsSaidThatItDecidesAsEasy) {
    Workload workload = full();
    workload.jobs.pop_back();
    Outcome outcome = simulated(workload, "urgent");
    outcome.setting.policy = "urgent";
    outcome.setting.parameters = {{"urgent_qos", "urgent"}, {"urgent_share", "0"}};
    const auto idle = without_urgent_jobs(digest(outcome));
    ASSERT_TRUE(idle.has_value());
    EXPECT_STREQ(idle->c_str(), "urgent has no urgent job: it decides as EASY (urgent_qos urgent, urgent_share 0).");
    EXPECT_FALSE(without_urgent_jobs(digest(simulated(full(), "urgent"))).has_value());
}

TEST(Urgent, AShareOfTheJobsComesIntoAQueueOfItsOwn) {
    Workload workload;
    for (int id = 1; id <= 1000; ++id) workload.jobs.push_back(job(id, id, 1, 1, id % 3));
    const Workload some = with_urgent(workload, 0.1, 1);
    const auto count = std::ranges::count(some.jobs, 3, &LogJob::queue);
    EXPECT_GT(count, 60);
    EXPECT_LT(count, 140);
    EXPECT_EQ(labels_of(some).qos.at("urgent"), 3);
    EXPECT_EQ(with_urgent(workload, 0.1, 1).jobs, some.jobs);
    EXPECT_NE(with_urgent(workload, 0.1, 2).jobs, some.jobs);
    EXPECT_EQ(with_urgent(workload, 0, 1).jobs, workload.jobs);
    const Metrics metrics = measure(simulated(workload, "urgent:urgent_share=0.1"));
    EXPECT_EQ(metrics.urgent, static_cast<std::size_t>(count));
}

TEST(Urgent, AQosThatNoJobHasIsRefused) {
    auto parameters = read_setting("urgent:urgent_qos=high", {});
    ASSERT_TRUE(parameters.has_value());
    const auto set = set_job_numbers(*parameters, full());
    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error(), "urgent_qos: full has no jobs of QOS 'high'; it has jobs of QOS 0, urgent");
    EXPECT_FALSE(read_setting("urgent:urgent_by=kill", {}).has_value());
}

}  // namespace
