// SPDX-License-Identifier: BSD-3-Clause
// platforms_test.cpp - three partitions of 256 cores and 1000 jobs: what choosing by effective supply gains.
#include "workload/models/platforms.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "engine/metrics.hpp"
#include "engine/settings.hpp"
#include "policy/registry/energy_rows.hpp"
#include "workload/machine_file.hpp"

namespace {

using namespace drom::sim;
namespace policy = drom::policy;

/// The files that drom-sim --machine and --apps read for these presets.
struct Files {
    std::vector<PartitionFile> machine = read_machine_file(EXAMPLES "/platforms/three.machine").value();
    ApplicationTable table = read_application_file(EXAMPLES "/platforms/kinds.apps", machine).value();
};

std::shared_ptr<const policy::EnergyModel> model_of(const Files& files) {
    policy::EnergyModel model{{}, files.table.applications};
    for (const PartitionFile& partition : files.machine) model.partitions.push_back(partition.node);
    return std::make_shared<const policy::EnergyModel>(std::move(model));
}

Outcome simulated(const Workload& workload, const std::string& setting, const Files& files = {}) {
    Parameters parameters = read_setting(setting, {}).value();
    policy::set_energy_model(parameters.policy, model_of(files));
    EngineRules rules = engine_rules_of(parameters, files.machine.front().nodes, files.machine.front().cores_per_node);
    rules.partitions.clear();
    for (const PartitionFile& partition : files.machine)
        rules.partitions.push_back(policy::Machine::uniform(partition.nodes, partition.cores_per_node));
    rules.energy = model_of(files);
    Outcome outcome = simulate(workload, *parameters.policy.scheduler(), rules);
    outcome.setting.nodes = static_cast<int>(workload.nodes);
    return outcome;
}

Workload preset(std::string_view name, std::uint64_t seed = 1) { return platforms_workload(name, 0, seed).value(); }

TEST(PlatformsPreset, HasEachSizeAndApplicationAsOften) {
    std::map<std::int64_t, int> sizes;
    std::map<int, int> applications;
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
        for (const LogJob& job : preset("platforms-x1", seed).jobs) {
            ++sizes[job.processors];
            ++applications[job.application];
        }
    ASSERT_EQ(sizes.size(), 9U);
    EXPECT_EQ(sizes.rbegin()->first, 256);
    for (const auto& [size, count] : sizes) EXPECT_NEAR(count, 5000 / 9.0, 100) << size;
    ASSERT_EQ(applications.size(), 5U);
    EXPECT_EQ(applications.begin()->first, 1);
    for (const auto& [number, count] : applications) EXPECT_NEAR(count, 1000, 130) << number;
}

TEST(PlatformsPreset, OfALoadDiffersInRunTimesOnly) {
    Workload half = preset("platforms-x0.5"), twice = preset("platforms-x2");
    double times[2] = {};
    for (std::size_t i = 0; i < half.jobs.size(); ++i) {
        times[0] += static_cast<double>(std::exchange(half.jobs[i].run, 0));
        times[1] += static_cast<double>(std::exchange(twice.jobs[i].run, 0));
        half.jobs[i].request = twice.jobs[i].request = 0;
    }
    EXPECT_EQ(half.jobs, twice.jobs);
    EXPECT_NEAR(times[1] / times[0], 4, 0.05);
}

TEST(PlatformsPreset, IsTheSameFromTheSameSeed) {
    EXPECT_EQ(preset("platforms-x1", 7).jobs, preset("platforms-x1", 7).jobs);
    EXPECT_NE(preset("platforms-x1", 7).jobs, preset("platforms-x1", 8).jobs);
    EXPECT_EQ(platforms_workload("platforms-x1", 20, 1)->jobs.size(), 20U);
    EXPECT_EQ(platforms_workload("platforms-x3", 0, 1), std::nullopt);
}

/// Returns how long the job takes that takes 1000 s on the first partition.
Seconds run_of(int application, std::int64_t nodes, const std::string& setting, const Files& files = {}) {
    LogJob job;
    job.processors = nodes;
    job.run = job.request = 1000;
    job.application = application;
    Workload workload;
    workload.jobs = {job};
    return simulated(workload, setting, files).jobs.front().stretched();
}

// The table of the published gains, by partition of the map.
TEST(PlatformsFiles, TellHowLongAJobOfEachSizeTakesOnEachPartition) {
    struct Row {
        int application;
        std::int64_t nodes;
        Seconds cluster, cloud;
    };
    const Row rows[] = {{1, 1, 1100, 1300},    {1, 256, 1100, 1300}, {2, 16, 1200, 1500}, {2, 17, 1500, 2500},
                        {2, 64, 1500, 2500},   {2, 65, 2000, 5000},  {3, 16, 1500, 3000}, {3, 64, 2500, 7000},
                        {3, 256, 4000, 15000}, {4, 256, 1050, 1100}, {5, 16, 1300, 2000}, {5, 64, 1600, 3500},
                        {5, 256, 2000, 7000}};
    for (const Row& row : rows) {
        EXPECT_EQ(run_of(row.application, row.nodes, "app:map=0/0/0/0/0"), 1000);
        EXPECT_EQ(run_of(row.application, row.nodes, "app:map=1/1/1/1/1"), row.cluster) << row.application;
        EXPECT_EQ(run_of(row.application, row.nodes, "app:map=2/2/2/2/2"), row.cloud) << row.application;
    }
    EXPECT_EQ(run_of(6, 256, "app:map=2/2/2/2/2"), 1000) << "on the first partition, as nothing is known of it";
}

// The policies decided by a table of their own, whatever the file said.
TEST(PlatformsFiles, OfASiteAreWhatThePoliciesDecideBy) {
    Files files;
    files.table = read_application_text(
                      "app 9 x\n on supercomputer seconds 80 watts 1 slope 0\n"
                      "on cloud seconds 20 watts 1 slope 0\n",
                      "a", files.machine)
                      .value();
    EXPECT_EQ(run_of(9, 8, "app:map=2", files), 250);
    EXPECT_EQ(run_of(9, 8, "ejs", files), 250);
    EXPECT_EQ(run_of(9, 8, "best-first", files), 250);
    EXPECT_EQ(run_of(9, 8, "app:map=1", files), 1000) << "it does not run on the cluster";
    EXPECT_EQ(run_of(1, 8, "scale", files), 1000) << "nothing is known of it";
}

/// Means over the seeds of docs/results/placement.md.
struct Result {
    double makespan = 0, done_in_an_hour = 0;
};

Result mean_of(std::string_view name, const std::string& setting) {
    constexpr int kSeeds = 5;
    Result mean;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const Outcome outcome = simulated(preset(name, seed), setting);
        const Metrics metrics = measure(outcome);
        EXPECT_EQ(metrics.killed, 0U);
        EXPECT_EQ(metrics.jobs, 1000U);
        mean.makespan += static_cast<double>(metrics.makespan) / kSeeds;
        for (const JobOutcome& job : outcome.jobs) mean.done_in_an_hour += job.end <= 3600 ? 1.0 / kSeeds : 0;
    }
    return mean;
}

TEST(Platforms, ChoosingBySupplyGainsMoreTheHigherTheLoad) {
    double makespan_gain = 0.98, done_gain = 1;  // a little makespan may be lost where there is room
    for (const std::string_view name : platforms_presets()) {
        const Result first = mean_of(name, "first-partition"), supply = mean_of(name, "ejs");
        EXPECT_GT(first.makespan / supply.makespan, makespan_gain) << name;
        EXPECT_GT(supply.done_in_an_hour / first.done_in_an_hour, done_gain) << name;
        makespan_gain = first.makespan / supply.makespan;
        done_gain = supply.done_in_an_hour / first.done_in_an_hour;
    }
}

}  // namespace
