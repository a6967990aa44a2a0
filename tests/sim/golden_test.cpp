// SPDX-License-Identifier: BSD-3-Clause
// golden_test.cpp - real logs against what independent simulators and the thesis's authors published about them.
#include <cmath>

#include "engine/engine.hpp"
#include "engine/metrics.hpp"
#include "engine/settings.hpp"
#include "logs.hpp"
#include "property.hpp"
#include "workload/swf/swf.hpp"

namespace {

using namespace drom::sim;

class Logs : public testing::Test {
protected:
    void SetUp() override { NEEDS_LOGS(WORKLOADS); }

    static Workload log(const std::string& name, const ReadOptions& options = {}) {
        auto read = read_swf(std::string(WORKLOADS) + '/' + name + ".swf.gz", options);
        EXPECT_TRUE(read.has_value()) << (read ? "" : read.error());
        return read ? std::move(read->workload) : Workload{};
    }

    static Outcome simulated(const Workload& workload, const std::string& setting, int nodes, int cores) {
        const auto parameters = read_setting(setting, {});
        EXPECT_TRUE(parameters.has_value()) << (parameters ? "" : parameters.error());
        const auto scheduler = parameters->policy.scheduler();
        return simulate(workload, *scheduler, engine_rules_of(*parameters, nodes, cores));
    }
};

void expect_within(double value, double published, double percent, const std::string& what) {
    EXPECT_LE(std::abs(value / published - 1) * 100, percent) << what << ": " << value << " instead of " << published;
}

// Published by the pyss simulator (fork predictsim): mean wait, mean response, bounded slowdown (tau 10 s).
TEST_F(Logs, EasyIsThatOfAnIndependentSimulator) {
    struct Row {
        const char* log;
        int nodes;
        double wait, response, bounded;
        double same;  ///< least share of jobs with the very wait of field 3
    };
    const Row rows[] = {
        {"KTH-SP2-1996-2.1-cln", 100, 6843.5, 15696.3, 92.89, 0},
        {"KTH-SP2-1996.pyss-easy", 100, 6836.9, 15696.8, 92.58, 0.97},
        {"SDSC-SP2-1998.pyss-easy", 128, 20576.0, 27929.1, 87.86, 0.94},
        {"CTC-SP2-1996.pyss-easy", 338, 13942.3, 25196.5, 48.74, 0.77},
    };
    for (const Row& row : rows) {
        const Workload workload = log(row.log);
        const Outcome outcome = simulated(workload, "easy", row.nodes, 1);
        const Metrics metrics = measure(outcome);
        expect_within(metrics.wait.mean, row.wait, 1, std::string(row.log) + " wait");
        expect_within(metrics.response.mean, row.response, 1, std::string(row.log) + " response");
        expect_within(metrics.bounded_slowdown.mean, row.bounded, 1, std::string(row.log) + " bounded slowdown");
        int same = 0;
        for (std::size_t i = 0; i < outcome.jobs.size(); ++i)
            same += outcome.jobs[i].wait() == workload.jobs[i].wait ? 1 : 0;
        const double share = same / static_cast<double>(outcome.jobs.size());
        EXPECT_GE(share, row.same) << row.log;
        std::printf("%-24s wait %.1f response %.1f bounded slowdown %.2f, the same wait %.1f %%\n", row.log,
                    metrics.wait.mean, metrics.response.mean, metrics.bounded_slowdown.mean, 100 * share);
    }
}

TEST_F(Logs, EasyOnCurieIsThatOfAnIndependentSimulatorToTheLastDigit) {
    const Metrics metrics = measure(simulated(log("CEA-Curie-2012.pyss-easy"), "easy", 80640, 1));
    expect_within(metrics.wait.mean, 6519.9, 0.001, "wait");
    expect_within(metrics.bounded_slowdown.mean, 205.76, 0.01, "bounded slowdown");
    EXPECT_EQ(metrics.makespan, 22030099);
}

// Workload 3 of the thesis: table 5.1 (response 43537 s, slowdown 1341, makespan 407043 s) and -25.7 % of slowdown.
TEST_F(Logs, WorkloadThreeOfTheThesis) {
    const Workload workload = log("RICC-sept-2010");
    const std::string rules = "bf_max_job_test=50,bf_window=0";
    const Metrics fixed = measure(simulated(workload, "slurm:" + rules, 1024, 8));
    expect_within(fixed.response.mean, 43537, 5, "response");
    expect_within(fixed.slowdown.mean, 1341, 5, "slowdown");
    expect_within(static_cast<double>(fixed.makespan), 407043, 1, "makespan");
    const Metrics shared = measure(simulated(workload, "sd:max_slowdown=inf," + rules, 1024, 8));
    EXPECT_LE(shared.slowdown.mean / fixed.slowdown.mean, 1 - 0.257);
    const Metrics easy = measure(simulated(workload, "easy", 1024, 8));
    expect_within(easy.slowdown.mean, 271.16, 0.01, "EASY slowdown");
    const Metrics better = measure(simulated(workload, "sd+", 1024, 8));
    EXPECT_LT(better.slowdown.mean, easy.slowdown.mean);
    std::printf("slurm, depth 50: response %.0f slowdown %.1f makespan %ld; sd: slowdown %.1f; easy: %.1f; sd+: %.1f\n",
                fixed.response.mean, fixed.slowdown.mean, static_cast<long>(fixed.makespan), shared.slowdown.mean,
                easy.slowdown.mean, better.slowdown.mean);
}

}  // namespace
