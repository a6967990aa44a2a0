// SPDX-License-Identifier: BSD-3-Clause
// moldable_test.cpp - jobs that start on other nodes than they ask for: how long they run, and what is told of them.
#include <fmt/format.h>

#include <cmath>

#include "engine/engine.hpp"
#include "engine/metrics.hpp"
#include "engine/settings.hpp"
#include "logs.hpp"
#include "policy/job/runtime_model.hpp"
#include "property.hpp"
#include "report/digest.hpp"
#include "report/idle_policy.hpp"
#include "report/jobs_csv.hpp"
#include "workload/swf/swf.hpp"

namespace {

using namespace drom::sim;

LogJob job(std::int64_t id, Seconds submit, int nodes, Seconds run, Seconds request) {
    LogJob made;
    made.id = id;
    made.submit = submit;
    made.processors = nodes;
    made.run = run;
    made.request = request;
    return made;
}

Outcome simulated(const Workload& workload, const std::string& setting, int nodes) {
    const auto parameters = read_setting(setting, {});
    EXPECT_TRUE(parameters.has_value()) << (parameters ? "" : parameters.error());
    const auto scheduler = parameters->policy.scheduler();
    Outcome outcome = simulate(workload, *scheduler, engine_rules_of(*parameters, nodes, 1));
    outcome.setting.nodes = nodes;
    outcome.setting.policy = parameters->policy.row().name;
    outcome.setting.parameters = values_of(*parameters);
    return outcome;
}

// Job 1 has 5 of 8 nodes for long; job 2 asks for 4 and takes 3, where it runs longer.
Workload two_jobs() {
    Workload workload;
    workload.jobs = {job(1, 0, 5, 5000, 5000), job(2, 1, 4, 100, 1000)};
    return workload;
}

TEST(Moldable, AJobOnFewerNodesRunsAsMuchLongerAsItsCurveSays) {
    // Job 1 is moldable, too, and takes the size that it asks for.
    const Outcome outcome = simulated(two_jobs(), "moldable:moldable_share=1", 8);
    const JobOutcome& small = outcome.jobs[1];
    EXPECT_EQ(small.start, 1);
    EXPECT_EQ(small.molded, 3);
    EXPECT_EQ(small.nodes, 4);
    const double factor = drom::policy::downey_speedup(4, 4, 1) / drom::policy::downey_speedup(3, 4, 1);
    EXPECT_EQ(small.stretched(), std::llround(100 * factor));
    EXPECT_EQ(small.limit_end, 1 + static_cast<Seconds>(std::ceil(1000 * factor)));
    EXPECT_EQ(outcome.jobs[0].molded, 0);
    EXPECT_NE(decision_sentence(small, outcome.setting).find(", on 3 instead of 4 nodes"), std::string::npos);
}

TEST(Moldable, WorkIsThatOfTheNodesThatAreAskedFor) {
    const Outcome outcome = simulated(two_jobs(), "moldable:moldable_share=1", 8);
    const Metrics metrics = measure(outcome);
    EXPECT_DOUBLE_EQ(metrics.utilisation, (5 * 5000.0 + 4 * 100.0) / (8 * 5000.0));
    EXPECT_DOUBLE_EQ(metrics.allocated,
                     (5 * 5000.0 + 3.0 * static_cast<double>(outcome.jobs[1].stretched())) / (8 * 5000.0));
}

TEST(Moldable, OtherPoliciesLeaveMoldableJobsTheirSize) {
    for (const char* policy : {"easy", "slurm", "sd", "sd+", "sd-deep"}) {
        const Outcome outcome = simulated(two_jobs(), fmt::format("{}:moldable_share=1", policy), 8);
        EXPECT_EQ(outcome.jobs[1].molded, 0) << policy;
        EXPECT_GE(outcome.jobs[1].start, 5000) << policy;
    }
}

TEST(Moldable, AShareOfMoldableJobsDoesNotChangeWhichOthersAreMalleable) {
    Workload workload;
    for (int id = 1; id <= 200; ++id) workload.jobs.push_back(job(id, id, 1, 1, 1));
    const Outcome none = simulated(workload, "sd:malleable_share=0.5", 8);
    const Outcome some = simulated(workload, "sd:malleable_share=0.5,moldable_share=0.5", 8);
    int moldable = 0;
    for (std::size_t i = 0; i < none.jobs.size(); ++i) {
        EXPECT_FALSE(none.jobs[i].moldable);
        moldable += some.jobs[i].moldable ? 1 : 0;
        EXPECT_EQ(some.jobs[i].malleable, none.jobs[i].malleable && !some.jobs[i].moldable);
    }
    EXPECT_GT(moldable, 60);
    EXPECT_LT(moldable, 140);
}

TEST(Moldable, WithoutAMoldableJobItIsSaidThatItDecidesAsEasy) {
    const auto idle = why_idle(simulated(two_jobs(), "moldable", 8).setting);
    ASSERT_TRUE(idle.has_value());
    EXPECT_STREQ(idle->c_str(), "moldable has no moldable job: it decides as EASY (moldable_share 0).");
    EXPECT_FALSE(why_idle(simulated(two_jobs(), "moldable:moldable_share=0.1", 8).setting).has_value());
}

class MoldableLogs : public testing::Test {
protected:
    void SetUp() override { NEEDS_LOGS(WORKLOADS); }
};

// docs/results/starts.md
TEST_F(MoldableLogs, SmallerStartsShortenWaitsOnKth) {
    const auto log = read_swf(fmt::format("{}/KTH-SP2-1996-2.1-cln.swf.gz", WORKLOADS), {});
    ASSERT_TRUE(log.has_value());
    const Outcome easy = simulated(log->workload, "easy", 100);
    const Outcome none = simulated(log->workload, "moldable", 100);
    for (std::size_t i = 0; i < easy.jobs.size(); ++i) ASSERT_EQ(easy.jobs[i].start, none.jobs[i].start) << i;
    const Metrics before = measure(easy), after = measure(simulated(log->workload, "moldable:moldable_share=1", 100));
    EXPECT_LT(after.wait.mean, 0.8 * before.wait.mean);
    EXPECT_LT(after.bounded_slowdown.mean, 0.9 * before.bounded_slowdown.mean);
    EXPECT_LT(after.response.mean, before.response.mean);
    EXPECT_EQ(after.jobs, before.jobs);
}

}  // namespace
