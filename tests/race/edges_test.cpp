// SPDX-License-Identifier: BSD-3-Clause
// edges_test.cpp - a thread that sees a published word sees everything that its publisher did before. For
// ThreadSanitizer.
//
// Words in the table are atomic, so ThreadSanitizer could not report a weakened order as a race. Here one thread stores
// into ordinary memory and publishes. The other waits until it sees the published word, and loads that memory. Without
// the happens-before edge of that order, this is a race.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "base/clock.hpp"
#include "base/process_identity.hpp"
#include "client/thread_mask.hpp"
#include "memory_table.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/events.hpp"
#include "shmem/intent.hpp"

namespace {

using namespace drom;
using drom::test::MemoryTable;

/// Runs `publish` in one thread; in another `sees` until it is true.
void expect_edge(const std::function<void()>& publish, const std::function<bool()>& sees) {
    int payload = 0;
    std::thread publisher([&] {
        payload = 42;
        publish();
    });
    std::thread observer([&] {
        while (!sees()) std::this_thread::yield();
        EXPECT_EQ(payload, 42);
    });
    publisher.join();
    observer.join();
}

TEST(Edges, ARequestThatIsRead) {
    MemoryTable table(8, 1);
    const uint32_t slot = table.join();
    const CpuSet mask = CpuSet::range(0, 2);
    expect_edge([&] { post_request(table.ledger, table.name(slot), 0, mask); },
                [&] {
                    Request posted{};
                    return read_request(table.ledger, slot, posted);
                });
}

TEST(Edges, WhatWasConfinedFromOutside) {
    MemoryTable table(8, 1);
    const uint32_t slot = table.join();
    post_request(table.ledger, table.name(slot), 0, CpuSet::range(0, 2));
    const uint32_t generation = state_of(table.ledger.slot(slot)).generation;
    expect_edge([&] { note_outside(table.ledger, slot, generation, {1, CpuSet::range(0, 2)}); },
                [&] {
                    Request outside{};
                    return read_outside(table.ledger, slot, outside);
                });
}

TEST(Edges, ARequestThatIsConfined) {
    MemoryTable table(8, 1);
    const uint32_t slot = table.join();
    const uint32_t generation = state_of(table.ledger.slot(slot)).generation;
    expect_edge([&] { note_outside(table.ledger, slot, generation, {1, CpuSet::range(0, 2)}); },
                [&] { return confined_seq(table.ledger, slot) == 1; });
}

TEST(Edges, WhoAProcessIs) {
    MemoryTable table(8, 1);
    IdentityWords& identity = table.ledger.slot(0).client;
    expect_edge([&] { write_identity(identity, {7, 8, 9}); }, [&] { return read_identity(identity).pid == 7; });
}

TEST(Edges, AnEvent) {
    const MemoryTable table(8, 1);
    uint64_t next = 0;
    drom_event event{};
    expect_edge([&] { record(table.ledger, {.type = DROM_EVENT_POST, .slot = 0, .seq = 7}); },
                [&] { return copy_events(table.ledger, next, &event, 1) == 1; });
}

TEST(Edges, AnIntent) {
    const MemoryTable table(8, 1);
    Intent what{intent::kDrain, 0, 0, CpuSet::range(0, 2), 0};
    expect_edge([&] { write_intent(table.ledger, what); },
                [&] {
                    Intent there{};
                    return read_intent(table.ledger, there);
                });
}

TEST(Edges, ASlotsNewPhase) {
    MemoryTable table(8, 1);
    const uint32_t slot = claim_slot(table.ledger);
    const uint32_t generation = state_of(table.ledger.slot(slot)).generation;
    expect_edge([&] { move_slot(table.ledger, slot, generation, phase::kLive, 0); },
                [&] { return is_live(table.ledger, {slot, generation & 0xfff}); });
}

TEST(Edges, AnOwnersWord) {
    MemoryTable table(8, 1);
    const uint32_t slot = table.join();
    const Owner::Name client = table.name(slot);
    const Owner word{table.ledger.owner(3).load()};
    expect_edge([&] { change_owner(table.ledger, 3, word, word.with(client, Owner::none(), 0)); },
                [&] { return owned_cpus(table.ledger, client).has(3); });
}

TEST(Edges, AHomeOfACpu) {
    MemoryTable table(8, 1);
    const uint32_t slot = table.join();
    const uint64_t home = home_of(table.ledger, slot);
    expect_edge([&] { table.ledger.home(3).store(home, std::memory_order_release); },
                [&] { return home_owner(table.ledger, 3) == table.name(slot); });
}

TEST(Edges, TheAdministratorLock) {
    const MemoryTable table(8, 1);
    int in_turns = 0;
    const auto take = [&] {
        for (int i = 0; i < 200; ++i) {
            const AdminLock lock(table.ledger.header(), deadline_in_ms(60'000));
            ++in_turns;
        }
    };
    // Threads of one process are one holder to the word: a thread that finds it taken waits until it is given back.
    std::thread other(take);
    take();
    other.join();
    EXPECT_EQ(in_turns, 400);
}

TEST(Edges, TheMaskOfThisProcess) {
    static ThreadMask threads;
    threads.begin(CpuSet::range(0, 4));
    expect_edge([&] { threads.publish(5, CpuSet::range(0, 2)); },
                [&] {
                    threads.begin_setting();
                    const bool seen = threads.seq() == 5;
                    threads.end_setting();
                    return seen;
                });
}

}  // namespace
