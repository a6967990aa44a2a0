// SPDX-License-Identifier: BSD-3-Clause
// events_test.cpp - the ring of events: in order, complete, and honest about losses.
#include "shmem/events.hpp"

#include <algorithm>
#include <vector>

#include "memory_table.hpp"
#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;
using drom::test::MemoryTable;

const MemoryTable& table() {
    static const MemoryTable one(2, 1);
    return one;
}

uint64_t head() { return table().ledger.header().event_head.load(); }

TEST(Events, WhatIsRecordedIsCopied) {
    EXPECT_TRUE(holds("round trip", [] {
        const EventFacts facts{.type = *rc::gen::inRange(1U, 13U),
                               .slot = *rc::gen::inRange(0U, kMaxClients),
                               .cpu = *rc::gen::inRange(0U, kMaxCpus),
                               .seq = *rc::gen::arbitrary<uint64_t>(),
                               .value = *rc::gen::arbitrary<uint32_t>(),
                               .pid = *rc::gen::inRange(1U, 1U << 22)};
        uint64_t next = head();
        record(table().ledger, facts);
        drom_event event{};
        const uint64_t index = next;
        RC_ASSERT(copy_events(table().ledger, next, &event, 1) == 1U);
        RC_ASSERT(next == index + 1);
        RC_ASSERT(event.index == index);
        RC_ASSERT(event.type == facts.type);
        RC_ASSERT(event.slot == facts.slot);
        RC_ASSERT(event.cpu == facts.cpu);
        RC_ASSERT(event.seq == facts.seq);
        RC_ASSERT(event.value == facts.value);
        RC_ASSERT(event.pid == static_cast<int32_t>(facts.pid));
        RC_ASSERT(event.time_ns != 0U);
    }));
}

TEST(Events, AGapShowsWhatWasLost) {
    const uint64_t first = head();
    for (uint32_t i = 0; i < kEvents + 100; ++i)
        record(table().ledger, {.type = DROM_EVENT_POST, .slot = 0, .value = i});
    uint64_t next = first;
    std::vector<drom_event> out(kEvents + 200);
    const size_t copied = copy_events(table().ledger, next, out.data(), out.size());
    EXPECT_EQ(copied, size_t{kEvents});
    EXPECT_EQ(out[0].index, first + 100);
    EXPECT_EQ(next, head());
    for (size_t i = 0; i < copied; ++i) EXPECT_EQ(out[i].value, static_cast<uint32_t>(100 + i));
}

TEST(Events, AReaderFromTheFutureWaitsForTheNextOne) {
    uint64_t next = head() + 1000;
    drom_event event{};
    EXPECT_EQ(copy_events(table().ledger, next, &event, 1), 0U);
    EXPECT_EQ(next, head());
}

TEST(Events, OneThatItsWriterNeverFinishedIsSkippedInTheEnd) {
    // The writer took its position in the ring and died.
    uint64_t next = head();
    table().ledger.header().event_head.fetch_add(1);
    record(table().ledger, {.type = DROM_EVENT_JOIN, .slot = 0, .value = 1});
    drom_event event{};
    EXPECT_EQ(copy_events(table().ledger, next, &event, 1), 0U) << "it may still be written";
    for (uint32_t i = 0; i < 100; ++i) record(table().ledger, {.type = DROM_EVENT_JOIN, .slot = 0, .value = 2});
    EXPECT_EQ(copy_events(table().ledger, next, &event, 1), 1U);
    EXPECT_EQ(event.value, 1U);
}

TEST(Events, NothingIsRecordedThroughAReadOnlyMapping) {
    Ledger read_only = table().ledger;
    read_only.writable = false;
    const uint64_t before = head();
    record(read_only, {.type = DROM_EVENT_JOIN, .slot = 0});
    EXPECT_EQ(head(), before);
}

}  // namespace
