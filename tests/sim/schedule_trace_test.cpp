// SPDX-License-Identifier: BSD-3-Clause
// schedule_trace_test.cpp - a simulated schedule as a trace: which job has which node, and how many cores.
#include "report/schedule_trace.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "sample_outcomes.hpp"
#include "trace/files.hpp"

namespace drom::sim {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

using Tenure = std::tuple<std::size_t, unsigned, std::uint64_t, std::uint64_t>;  // client, CPU, begin, end in seconds

std::vector<Tenure> tenures_of(const trace::Trace& trace) {
    std::vector<Tenure> found;
    for (const trace::Tenure& one : trace.tenures)
        found.emplace_back(one.client, one.cpu, one.begin_ns / kSecond, one.end_ns / kSecond);
    return found;
}

TEST(ScheduleTrace, AHostKeepsItsNodesAndAGuestHasALaneOfItsOwn) {
    const trace::Trace trace = trace_of(shared_outcome(), {0, 200});
    ASSERT_EQ(trace.clients.size(), 2U) << "the third job is outside the window";
    EXPECT_EQ(trace.clients[1].name, "job 2");
    EXPECT_EQ(trace.lanes, 2U);
    EXPECT_EQ(tenures_of(trace),
              (std::vector<Tenure>{{0, 0, 0, 150}, {0, 2, 0, 150}, {1, 1, 10, 110}, {1, 3, 10, 110}}));
    EXPECT_EQ(trace::place_of(trace, 2), "node 1");
    EXPECT_EQ(trace::place_of(trace, 3), "node 1 (2)");
}

TEST(ScheduleTrace, CoresAreUsefulAndAWaitIsARequest) {
    const trace::Trace trace = trace_of(shared_outcome(), {0, 200});
    std::vector<std::tuple<std::size_t, std::uint64_t, double>> cores;
    for (const trace::Sample& one : trace.samples) cores.emplace_back(one.client, one.begin_ns / kSecond, one.useful);
    EXPECT_EQ(cores, (decltype(cores){{0, 0, 8}, {0, 10, 4}, {0, 110, 8}, {1, 10, 4}}));
    const Outcome waits = shared_outcome();
    ASSERT_EQ(trace.requests.size(), 2U);
    EXPECT_EQ(trace.requests[1].cpus, 2U);
    EXPECT_EQ(trace.requests[1].posted_ns, static_cast<std::uint64_t>(waits.jobs[1].submit) * kSecond);
    EXPECT_EQ(trace.requests[1].released_ns, static_cast<std::uint64_t>(waits.jobs[1].start) * kSecond);
}

TEST(ScheduleTrace, TheWindowCutsWhatIsLonger) {
    const trace::Trace trace = trace_of(shared_outcome(), {100, 120});
    EXPECT_EQ(trace.end_ns, 20 * kSecond);
    EXPECT_EQ(tenures_of(trace), (std::vector<Tenure>{{0, 0, 0, 20}, {0, 2, 0, 20}, {1, 1, 0, 10}, {1, 3, 0, 10}}));
    EXPECT_TRUE(trace_of(shared_outcome(), {1000, 2000}).clients.empty());
}

TEST(ScheduleTrace, NodesOfPartitionsHaveNumbersOfTheirOwn) {
    Outcome outcome = shared_outcome();
    outcome.setting.partitions = {{"a", 2, 0}, {"b", 2, 0}};
    outcome.stretches = {{0, policy::NodeSet(0, 2), 4, 0, 10, 0}, {1, policy::NodeSet(0, 2), 4, 0, 10, 1}};
    EXPECT_EQ(tenures_of(trace_of(outcome, {0, 10})),
              (std::vector<Tenure>{{0, 0, 0, 10}, {0, 1, 0, 10}, {1, 2, 0, 10}, {1, 3, 0, 10}}));
}

TEST(ScheduleTrace, EachFormatNamesNodes) {
    const trace::Trace trace = trace_of(shared_outcome(), {0, 200});
    EXPECT_NE(trace::perfetto_of(trace).find("\"node 1 (2)\""), std::string::npos);
    EXPECT_NE(trace::paraver_of(trace, {}).row.find("job 2 on node 1 (2)\n"), std::string::npos);
    EXPECT_NE(trace::csv_of(trace).find("10.000000000,110.000000000,owned,job 2,0,2,,1,\n"), std::string::npos);
}

}  // namespace
}  // namespace drom::sim
