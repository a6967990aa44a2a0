// SPDX-License-Identifier: BSD-3-Clause
// trace_test.cpp - the owner of each CPU over time, as events tell it, and as files of other tools have it.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "table/table_history.hpp"
#include "trace/files.hpp"

namespace drom::command {

namespace {

constexpr uint64_t kBegin = 1'000'000;

ClientView view(uint32_t slot, int32_t pid, const char* name, const CpuSet& owned, const char* job = "") {
    ClientView client;
    client.info.slot = slot;
    client.info.pid = pid;
    std::strncpy(client.info.name, name, sizeof client.info.name - 1);
    std::strncpy(client.info.job, job, sizeof client.info.job - 1);
    client.owned = client.wanted = owned;
    return client;
}

/// Makes events with ascending indices, a microsecond apart.
class Events {
public:
    drom_event operator()(uint32_t type, uint32_t slot, int32_t pid, uint32_t cpu = UINT32_MAX, uint64_t seq = 0,
                          uint32_t value = 0) {
        ++index_;
        return {index_, kBegin + index_ * 1000, seq, type, slot, cpu, value, pid, 0};
    }
    void lose(uint64_t count) { index_ += count; }

private:
    uint64_t index_ = 0;
};

/// Returns the trace of two clients, one of which gives the other a CPU.
trace::Trace handover() {
    TableHistory history(kBegin, {view(0, 40, "heat", {0, 1}, "7")});
    Events event;
    bool complete = history.apply(event(DROM_EVENT_JOIN, 1, 50));
    history.describe(view(1, 50, "render, \"x\"", {}).info);
    complete &= history.apply(event(DROM_EVENT_OFFER, 0, 40, 1));
    complete &= history.apply(event(DROM_EVENT_POST, 0, 40, UINT32_MAX, 3, 1));
    complete &= history.apply(event(DROM_EVENT_ACCEPT, 1, 50, 1));
    complete &= history.apply(event(DROM_EVENT_RELEASED, 0, 40, UINT32_MAX, 3));
    complete &= history.apply(event(DROM_EVENT_KEPT, 0, 40, UINT32_MAX, 3, 2));
    EXPECT_TRUE(complete);
    history.add({0, kBegin, kBegin + 8000, 1.25, 0.125});
    trace::Trace trace = history.until(kBegin + 10'000);
    trace.node = "n1";
    trace.began_unix_s = 1'790'000'000.25;
    return trace;
}

}  // namespace

TEST(Trace, ACpuThatIsHandedOverHasTwoOwnersOneAfterTheOther) {
    const trace::Trace trace = handover();
    ASSERT_EQ(trace.clients.size(), 2U);
    ASSERT_EQ(trace.tenures.size(), 3U);
    EXPECT_EQ(trace.tenures[1].end_ns, kBegin + 4000);
    ASSERT_EQ(trace.tenures[1].offers.size(), 1U);
    EXPECT_EQ(trace.tenures[1].offers[0].begin_ns, kBegin + 2000);
    EXPECT_EQ(trace.tenures[1].offers[0].end_ns, kBegin + 4000);
    EXPECT_EQ(trace.tenures[2].client, 1U);
    EXPECT_EQ(trace.tenures[2].begin_ns, kBegin + 4000);
    EXPECT_EQ(trace.tenures[2].end_ns, kBegin + 10'000);
    ASSERT_EQ(trace.requests.size(), 1U);
    EXPECT_EQ(trace.requests[0].released_ns, kBegin + 5000);
    EXPECT_EQ(trace.requests[0].threads, 2U);
}

TEST(Trace, WhatALostEventWouldHaveSaidIsReadFromTheTable) {
    TableHistory history(kBegin, {view(0, 40, "heat", {0, 1})});
    Events event;
    EXPECT_TRUE(history.apply(event(DROM_EVENT_FREE, 0, 40, 1)));
    event.lose(7);
    EXPECT_FALSE(history.apply(event(DROM_EVENT_CLAIM, 2, 60, 3)));
    history.set(kBegin + 50'000, {view(1, 50, "new", {0}), view(2, 60, "other", {3})});
    const trace::Trace trace = history.until(kBegin + 60'000);
    EXPECT_EQ(trace.lost, 7U);
    ASSERT_EQ(trace.clients.size(), 3U);
    EXPECT_EQ(trace.clients[0].end_ns, kBegin + 50'000) << "it has gone while events were lost";
    EXPECT_EQ(trace.clients[1].name, "other") << "its join was lost";
    ASSERT_EQ(trace.tenures.size(), 4U);
    EXPECT_EQ(trace.tenures[0].end_ns, kBegin + 50'000);
    EXPECT_EQ(trace.tenures[3].cpu, 0U);
    EXPECT_EQ(trace.clients[trace.tenures[3].client].name, "new");
}

TEST(Trace, AClientThatLeavesOwnsNothingAnyMore) {
    TableHistory history(kBegin, {view(0, 40, "heat", {0, 1})});
    Events event;
    EXPECT_TRUE(history.apply(event(DROM_EVENT_REAP, 0, 40)));
    EXPECT_FALSE(history.client_of(0, 40));
    for (const trace::Tenure& tenure : history.until(kBegin + 9000).tenures) EXPECT_EQ(tenure.end_ns, kBegin + 1000);
}

TEST(Trace, AnOfferThatIsWithdrawnEndsAndItsCpuIsOwnedOn) {
    TableHistory history(kBegin, {view(0, 40, "heat", {0})});
    Events event;
    EXPECT_TRUE(history.apply(event(DROM_EVENT_OFFER, 0, 40, 0)));
    EXPECT_TRUE(history.apply(event(DROM_EVENT_CANCEL, 0, 40, 0)));
    const trace::Trace trace = history.until(kBegin + 9000);
    ASSERT_EQ(trace.tenures.size(), 1U);
    ASSERT_EQ(trace.tenures[0].offers.size(), 1U);
    EXPECT_EQ(trace.tenures[0].offers[0].end_ns, kBegin + 2000);
    EXPECT_NE(trace::paraver_of(trace, {}).prv.find("1:1:1:1:1:2000:9000:1"), std::string::npos);
}

/// A trace showed requests that newer ones had replaced as pending until the end of their client.
TEST(Trace, ARequestThatIsReplacedEndsThen) {
    TableHistory history(kBegin, {view(0, 40, "heat", {0, 1})});
    Events event;
    EXPECT_TRUE(history.apply(event(DROM_EVENT_POST, 0, 40, UINT32_MAX, 3, 1)));
    EXPECT_TRUE(history.apply(event(DROM_EVENT_POST, 0, 40, UINT32_MAX, 4, 2)));
    EXPECT_TRUE(history.apply(event(DROM_EVENT_RELEASED, 0, 40, UINT32_MAX, 4)));
    const trace::Trace trace = history.until(kBegin + 9000);
    ASSERT_EQ(trace.requests.size(), 2U);
    EXPECT_EQ(trace.requests[0].replaced_ns, kBegin + 2000);
    EXPECT_FALSE(trace.requests[1].replaced_ns);
    EXPECT_NE(trace::perfetto_of(trace).find(R"("dur":1.0,"args":{"seq":3,"cpus":1,"replaced_after_ns":1000})"),
              std::string::npos);
}

/// A trace that began while a request was pending did not show it.
TEST(Trace, WhatIsUnderWayAtTheBeginIsThere) {
    ClientView pending = view(0, 40, "heat", {0, 1});
    pending.wanted = {0};
    pending.info.request_seq = 7;
    pending.info.released_seq = 6;
    TableHistory history(kBegin, {pending});
    const trace::Trace trace = history.until(kBegin + 9000);
    ASSERT_EQ(trace.requests.size(), 1U);
    EXPECT_EQ(trace.requests[0].cpus, 1U);
    EXPECT_EQ(trace.requests[0].posted_ns, kBegin);
    ASSERT_EQ(trace.tenures.size(), 2U);
    EXPECT_TRUE(trace.tenures[0].offers.empty());
    EXPECT_EQ(trace.tenures[1].offers.size(), 1U);
}

TEST(Trace, ALineOfCsvPerFact) {
    EXPECT_EQ(trace::csv_of(handover()), R"csv(begin_s,end_s,what,client,pid,job,rank,cpu,value
0.000000000,0.000010000,trace,n1,,,,,1790000000.250000
0.000000000,0.000010000,client,heat,40,7,,,
0.000001000,0.000010000,client,"render, ""x""",50,,,,
0.000000000,0.000010000,owned,heat,40,7,,0,
0.000000000,0.000004000,owned,heat,40,7,,1,
0.000002000,0.000004000,offered,heat,40,7,,1,
0.000004000,0.000010000,owned,"render, ""x""",50,,,1,
0.000003000,0.000003000,posted,heat,40,7,,,1
0.000003000,0.000005000,released,heat,40,7,,,1
0.000003000,0.000006000,resized,heat,40,7,,,2
0.000000000,0.000008000,useful,heat,40,7,,,1.2500
0.000000000,0.000008000,mpi,heat,40,7,,,0.1250
)csv");
}

TEST(Trace, ParaverHasTheRecordsByTheirTimes) {
    std::tm began{};
    began.tm_year = 126;
    began.tm_mon = 10;
    began.tm_mday = 9;
    began.tm_hour = 8;
    const trace::ParaverFiles files = trace::paraver_of(handover(), began);
    EXPECT_EQ(files.prv, R"(#Paraver (09/11/2026 at 08:00):10000_ns:1(2):2:1(2:1):1(1:1)
1:1:1:1:1:0:10000:1
1:2:1:1:2:0:2000:1
2:1:1:1:1:0:9200004:1250
2:1:1:1:1:0:9200005:125
1:2:1:1:2:2000:4000:2
2:1:1:1:1:3000:9200001:1
1:2:2:1:1:4000:10000:1
2:1:1:1:1:5000:9200002:1
2:1:1:1:1:6000:9200003:2
2:1:1:1:1:8000:9200004:0
2:1:1:1:1:8000:9200005:0
)");
    EXPECT_EQ(files.row, R"(LEVEL CPU SIZE 2
CPU 0
CPU 1

LEVEL NODE SIZE 1
n1

LEVEL APPL SIZE 2
job 7
render, "x" (50)

LEVEL TASK SIZE 2
heat (40)
render, "x" (50)

LEVEL THREAD SIZE 3
heat (40) on CPU 0
heat (40) on CPU 1
render, "x" (50) on CPU 1

)");
    for (const char* name : {"9200001", "9200005", "STATES_COLOR"}) EXPECT_NE(files.pcf.find(name), std::string::npos);
}

TEST(Trace, PerfettoHasASpanPerOwnerAndCountsItsCpus) {
    const std::string text = trace::perfetto_of(handover());
    const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
    EXPECT_TRUE(has(R"({"ph":"X","pid":1,"tid":2,"name":"owned","ts":0.0,"dur":4.0,"args":{"cpu":1}})")) << text;
    EXPECT_TRUE(has(R"("name":"1 CPU","ts":3.0,"dur":3.0,"args":{"seq":3,"cpus":1,"released_after_ns":2000)")) << text;
    EXPECT_TRUE(has(R"({"ph":"C","pid":1,"name":"CPUs","ts":4.0,"args":{"owned":1}})")) << text;
    EXPECT_TRUE(has(R"("args":{"useful":1.25,"mpi":0.125})")) << text;
    EXPECT_TRUE(has(R"("name":"busy CPUs","ts":8.0,"args":{"useful":0.0,"mpi":0.0})")) << text;
}

TEST(Trace, ARankHasItsNumberOnce) {
    EXPECT_EQ(trace::title_of({"heat", "", 7, 3, 0, 0}), "heat.3 (7)");
    EXPECT_EQ(trace::title_of({"heat.3", "", 7, 3, 0, 0}), "heat.3 (7)");
    EXPECT_EQ(trace::title_of({"heat", "", 0, {}, 0, 0}), "heat");
}

}  // namespace drom::command
