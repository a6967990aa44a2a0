// SPDX-License-Identifier: BSD-3-Clause
// talp_json_test.cpp - a program as TALP writes it: its keys in its order, its units, and numbers of this window.
#include "output/talp_json.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

namespace drom::command {

namespace {

StatsReport two_ranks() {
    StatsReport report{{"n1", "n2"}, 10, true, 0.001, {}};
    StatsApplication heat{"7", "heat", true, {}};
    // Each owns 2 CPUs for 10 s.
    heat.processes.push_back({"n1", "heat.0", 42, 0, 2, 2000, 18, 0.5, {20, 12, 2, 2, 3, 1, 0}});
    heat.processes.push_back({"n2", "heat.1", 42, 1, 2, 2000, 18, 0.5, {20, 10, 3, 3, 3, 1, 0}});
    report.applications.push_back(heat);
    return report;
}

std::string talp_of(const StatsReport& report) {
    return talp_json(report, report.applications.front(), "2026-11-28T12:00:00+0000");
}

std::vector<std::string> keys_of(const std::string& text) {
    const std::regex key("\"([A-Za-z]+)\": ");
    std::vector<std::string> keys;
    for (std::sregex_iterator at(text.begin(), text.end(), key), end; at != end; ++at) keys.push_back((*at)[1]);
    return keys;
}

std::string value_of(const std::string& text, const std::string& key) {
    // The last of its name: of the region.
    const size_t at = text.rfind('"' + key + "\": ");
    if (at == std::string::npos) return "missing";
    const size_t begin = at + key.size() + 4;
    return text.substr(begin, text.find_first_of(",\n", begin) - begin);
}

}  // namespace

TEST(TalpJson, HasTheKeysOfDlb37InTheirOrder) {
    const std::vector<std::string> wanted{"dlbVersion",
                                          "timestamp",
                                          "resources",
                                          "numCpus",
                                          "numNodes",
                                          "numMpiRanks",
                                          "numGpus",
                                          "Application",
                                          "Global",
                                          "numCpus",
                                          "numMpiRanks",
                                          "numNodes",
                                          "avgCpus",
                                          "numGpus",
                                          "cycles",
                                          "instructions",
                                          "numMeasurements",
                                          "numMpiCalls",
                                          "numOmpParallels",
                                          "numOmpTasks",
                                          "numGpuCalls",
                                          "elapsedTime",
                                          "usefulTime",
                                          "mpiTime",
                                          "ompLoadImbalanceTime",
                                          "ompSchedulingTime",
                                          "ompSerializationTime",
                                          "gpuRuntimeTime",
                                          "minMpiNormdProc",
                                          "minMpiNormdNode",
                                          "gpuUsefulTime",
                                          "gpuCommunicationTime",
                                          "maxGpuUsefulTime",
                                          "maxGpuActiveTime",
                                          "parallelEfficiency",
                                          "mpiParallelEfficiency",
                                          "mpiCommunicationEfficiency",
                                          "mpiLoadBalance",
                                          "mpiLoadBalanceIn",
                                          "mpiLoadBalanceOut",
                                          "ompParallelEfficiency",
                                          "ompLoadBalance",
                                          "ompSchedulingEfficiency",
                                          "ompSerializationEfficiency",
                                          "deviceOffloadEfficiency",
                                          "gpuParallelEfficiency",
                                          "gpuLoadBalance",
                                          "gpuCommunicationEfficiency",
                                          "gpuOrchestrationEfficiency"};
    EXPECT_EQ(keys_of(talp_of(two_ranks())), wanted);
}

TEST(TalpJson, TimesAreNanosecondsOfAllCpusAndFactorsHaveTwoDigits) {
    const std::string text = talp_of(two_ranks());
    EXPECT_EQ(value_of(text, "numCpus"), "4");
    EXPECT_EQ(value_of(text, "numMpiRanks"), "2");
    EXPECT_EQ(value_of(text, "numNodes"), "2");
    EXPECT_EQ(value_of(text, "avgCpus"), "4.0");
    EXPECT_EQ(value_of(text, "elapsedTime"), "10000000000");
    EXPECT_EQ(value_of(text, "usefulTime"), "22000000000");
    EXPECT_EQ(value_of(text, "mpiTime"), "5000000000");
    EXPECT_EQ(value_of(text, "minMpiNormdProc"), "2000000000");  // (2 + 2) of 20 s, of the window
    EXPECT_EQ(value_of(text, "parallelEfficiency"), "0.63");     // 22 / 35
    EXPECT_EQ(value_of(text, "mpiParallelEfficiency"), "0.75");  // 30 / 40
    EXPECT_EQ(value_of(text, "mpiCommunicationEfficiency"), "0.80");
    EXPECT_EQ(value_of(text, "mpiLoadBalance"), "0.94");
    EXPECT_EQ(value_of(text, "ompParallelEfficiency"), "0.77");  // 27 / 35
}

TEST(TalpJson, AProgramWithoutMpiHasNoRanks) {
    StatsReport report = two_ranks();
    report.applications[0].processes.resize(1);
    StatsProcess& process = report.applications[0].processes[0];
    process.rank.reset();
    process.budget = {20, 16, 0, 0, 3, 1, 0};
    const std::string text = talp_of(report);
    EXPECT_EQ(value_of(text, "numMpiRanks"), "0");
    EXPECT_EQ(value_of(text, "mpiParallelEfficiency"), "1.00");
    EXPECT_EQ(value_of(text, "parallelEfficiency"), "0.80");
}

}  // namespace drom::command
