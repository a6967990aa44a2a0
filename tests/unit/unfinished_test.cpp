// SPDX-License-Identifier: BSD-3-Clause
// unfinished_test.cpp - unfinished work of other processes: a mask that was derived before an offer, a plan of which
// one word was changed.
#include <gtest/gtest.h>

#include "admin/carry_out.hpp"
#include "admin/description.hpp"
#include "admin/orders.hpp"
#include "admin/reservations.hpp"
#include "admin/wait.hpp"
#include "child.hpp"
#include "client/client.hpp"
#include "memory_table.hpp"
#include "shmem/intent.hpp"

namespace {

using namespace drom;
using drom::test::Child;
using drom::test::MemoryTable;
using drom::test::TempDir;

TEST(Unfinished, AMaskDerivedBeforeAnOfferIsNeverPostedAfterTheCpuHasGone) {
    MemoryTable table(4, 4);
    const uint32_t a = table.join();
    const uint32_t b = table.join();
    table.give(a, CpuSet::range(0, 1));
    // CPU 1 has come to A, which does not know it yet. An administrator has derived A's mask with it and is preempted
    // here.
    table.ledger.owner(1).store(table.word(1).with(table.name(a), Owner::none(), 0).bits);
    const uint64_t base = table.ledger.mailbox(a).newest.load();
    const CpuSet stale = usable_cpus(table.ledger, table.name(a));
    // Another administrator takes it for B. A's newest request never had CPU 1 and is released, and still the CPU must
    // not go yet.
    table.ledger.owner(1).store(table.word(1).with(table.name(a), table.name(b), Owner::kOffered).bits);
    reconcile(table.ledger, table.pages, {});
    EXPECT_EQ(table.word(1).owner(), table.name(a));
    EXPECT_FALSE(post_request(table.ledger, table.name(a), base, stale));
    table.finish();
    EXPECT_EQ(table.word(1).owner(), table.name(b));
    EXPECT_FALSE(table.posted(a).has(1));
}

TEST(Unfinished, ToldAgainOnlyOnce) {
    MemoryTable table(4, 4);
    const uint32_t a = table.join();
    const uint32_t b = table.join();
    table.give(a, CpuSet::range(0, 3));
    table.ledger.owner(2).store(table.word(2).with(table.name(a), table.name(b), Owner::kOffered).bits);
    EXPECT_TRUE(reconcile_all(table.ledger, table.pages));
    const uint64_t seq = table.ledger.mailbox(a).newest.load();
    EXPECT_FALSE(reconcile_all(table.ledger, table.pages));
    EXPECT_EQ(seq, table.ledger.mailbox(a).newest.load());
}

/// Carries out one word of a plan for `mask`, leaves the intent and the lock, and dies.
int die_after_one_word(const std::string& path, uint32_t pid, uint64_t kind, const CpuSet& mask, bool intent_complete) {
    drom_error error{};
    Ledger ledger;
    if (open_ledger(path.c_str(), false, ledger, &error) != DROM_OK) return 1;
    ledger.header().admin_lock.store(packed(self()));
    const uint32_t slot = find_pid(ledger, pid);
    if (slot == kNoSlot) return 2;
    std::vector<Change> changes(ledger.cpus());
    Plan plan{changes.data(), 0, {}};
    const auto make = kind == intent::kAdd ? plan_add : kind == intent::kRemove ? plan_remove : plan_mask;
    if (make(ledger, name_of(ledger, slot), mask, {false, false, false, "drom: test"}, plan, &error) != DROM_OK)
        return 3;
    if (plan.count < 2) return 4;
    const uint32_t generation = state_of(ledger.slot(slot)).generation;
    write_intent(ledger, {kind, slot, generation, mask, 0});
    if (!intent_complete) ledger.intent().checksum.fetch_xor(1);
    return change_owner(ledger, changes[0].cpu, changes[0].from, changes[0].to) ? 0 : 5;
}

/// Reserves a slot for the process, and dies before it has any CPU.
int die_before_the_cpus(const std::string& path, uint32_t pid) {
    Ledger ledger;
    ProcessIdentity identity{};
    if (open_ledger(path.c_str(), false, ledger, nullptr) != DROM_OK || !identify(pid, identity)) return 1;
    const uint32_t index = claim_slot(ledger);
    if (index == kNoSlot) return 2;
    const uint32_t generation = state_of(ledger.slot(index)).generation;
    write_identity(ledger.slot(index).client, identity);
    write_identity(ledger.slot(index).launcher, self());
    if (create_page(ledger, path.c_str(), index, generation, geteuid(), nullptr) == nullptr) return 3;
    return move_slot(ledger, index, generation, phase::kReserved, 0) ? 0 : 4;
}

class DeadAdministrator : public testing::Test {
protected:
    void SetUp() override {
        Options options;
        options.flags = DROM_CREATE;
        options.cpus = 8;
        options.clients = 8;
        options.timeout_ms = 1000;
        ASSERT_EQ(DROM_OK, table_.open(directory_.table().c_str(), options, &error_)) << error_.text;
        ASSERT_GE(reserve(table_, client_.upid(), CpuSet::range(0, 2), plain_, nullptr, &error_), 0) << error_.text;
    }
    CpuSet wanted() {
        CpuSet mask{};
        EXPECT_EQ(DROM_OK, get_mask(table_, client_.upid(), nullptr, &mask, &error_)) << error_.text;
        return mask;
    }
    void leave_half_done(const CpuSet& mask, bool intent_complete, uint64_t kind = intent::kMask) {
        Child administrator = Child::run(
            [&] { return die_after_one_word(directory_.table(), client_.upid(), kind, mask, intent_complete); });
        ASSERT_EQ(0, administrator.wait());
    }

    TempDir directory_;
    Child client_ = Child::sleeper();
    Table table_;
    Options plain_{.flags = 0, .timeout_ms = 1000};
    drom_error error_{};
};

TEST_F(DeadAdministrator, WhoWasToBeGivenCpusTakesThoseThatAreFree) {
    const CpuSet own = CpuSet::range(4, 2);
    const std::string path = directory_.table();
    test::Gate reserved;
    test::Gate joined;
    const Child newcomer = Child::run([&] {
        reserved.pass();
        const client::JoinOptions options{&own,    DROM_ENTRY_EXPLICIT, false, "newcomer", nullptr, 1, 0, false,
                                          nullptr, path.c_str()};
        if (client::join(options, nullptr) != DROM_OK) return 1;
        joined.open();
        return pause();
    });
    Child administrator = Child::run([&] { return die_before_the_cpus(path, newcomer.upid()); });
    ASSERT_EQ(0, administrator.wait());
    reserved.open();
    joined.pass();
    CpuSet owned{};
    ASSERT_EQ(DROM_OK, get_mask(table_, newcomer.upid(), &owned, nullptr, &error_)) << error_.text;
    EXPECT_EQ(owned, own);
}

TEST_F(DeadAdministrator, WhatItBeganIsFinishedByTheNextOne) {
    const CpuSet mask = CpuSet::range(1, 6);
    leave_half_done(mask, true);
    EXPECT_NE(mask, wanted());
    EXPECT_EQ(DROM_OK, check_table(table_, plain_, &error_)) << error_.text;
    EXPECT_EQ(mask, wanted());
    EXPECT_EQ(DROM_UNCHANGED, check_table(table_, plain_, &error_));
}

TEST_F(DeadAdministrator, WhatItBeganIsFinishedAlsoWhenAnAdministratorThatOnlyWaitedHadTheLockInBetween) {
    const CpuSet mask = CpuSet::range(1, 6);
    leave_half_done(mask, true);
    Options brief = plain_;
    brief.timeout_ms = 1;
    EXPECT_GE(wait_for(table_, client_.upid(), 0, brief, &error_), 0) << error_.text;
    const Child other = Child::sleeper();
    EXPECT_GE(reserve(table_, other.upid(), CpuSet::range(7, 1), plain_, nullptr, &error_), 0) << error_.text;
    EXPECT_EQ(mask, wanted());
}

TEST_F(DeadAdministrator, AGivingOrATakingIsFinishedWithoutTouchingOtherCpus) {
    leave_half_done(CpuSet::range(3, 4), true, intent::kAdd);
    EXPECT_EQ(DROM_OK, check_table(table_, plain_, &error_)) << error_.text;
    EXPECT_EQ(CpuSet::range(0, 2) | CpuSet::range(3, 4), wanted());
    leave_half_done(CpuSet::range(1, 4), true, intent::kRemove);
    ASSERT_GE(change(table_, client_.upid(), {Order::kAdd, CpuSet::range(7, 1)}, plain_, &error_), 0) << error_.text;
    EXPECT_EQ(CpuSet::range(0, 1) | CpuSet::range(5, 3), wanted());
    EXPECT_EQ(DROM_UNCHANGED, check_table(table_, plain_, &error_));
}

/// Carries out one word of a plan for two clients, leaves the intent and the lock, and dies.
int die_between_two_clients(const std::string& path, const ClientMask (&both)[2]) {
    drom_error error{};
    Ledger ledger;
    if (open_ledger(path.c_str(), false, ledger, &error) != DROM_OK) return 1;
    ledger.header().admin_lock.store(packed(self()));
    std::vector<Owner::Name> targets(ledger.cpus(), Owner::none());
    Intent what{intent::kMasks, kNoSlot, 0, both[0].mask | both[1].mask, 0, targets.data()};
    for (const ClientMask& one : both)
        for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu)
            if (one.mask.has(cpu)) targets[cpu] = name_of(ledger, find_pid(ledger, one.pid));
    std::vector<Change> changes(ledger.cpus());
    Plan plan{changes.data(), 0, {}};
    if (plan_masks(ledger, what.mask, what.targets, {false, false, false, "drom: test"}, plan, &error) != DROM_OK)
        return 2;
    if (plan.count < 3) return 3;
    write_intent(ledger, what);
    return change_owner(ledger, changes[0].cpu, changes[0].from, changes[0].to) ? 0 : 4;
}

TEST_F(DeadAdministrator, WhatItBeganForSeveralClientsIsFinishedForAll) {
    const Child other = Child::sleeper();
    ASSERT_GE(reserve(table_, other.upid(), CpuSet::range(3, 3), plain_, nullptr, &error_), 0) << error_.text;
    const ClientMask both[] = {{client_.upid(), CpuSet::range(0, 1) | CpuSet::range(4, 2)},
                               {other.upid(), CpuSet::range(1, 3) | CpuSet::range(6, 1)}};
    Child administrator = Child::run([&] { return die_between_two_clients(directory_.table(), both); });
    ASSERT_EQ(0, administrator.wait());
    EXPECT_NE(both[0].mask, wanted());
    EXPECT_EQ(DROM_OK, check_table(table_, plain_, &error_)) << error_.text;
    EXPECT_EQ(both[0].mask, wanted());
    CpuSet mask{};
    EXPECT_EQ(DROM_OK, get_mask(table_, other.upid(), nullptr, &mask, &error_)) << error_.text;
    EXPECT_EQ(both[1].mask, mask);
    EXPECT_EQ(DROM_UNCHANGED, check_table(table_, plain_, &error_));
}

TEST_F(DeadAdministrator, AnIntentThatWasNotCompletelyWrittenIsNotBelieved) {
    leave_half_done(CpuSet::range(1, 6), false);
    const CpuSet half = wanted();
    check_table(table_, plain_, &error_);
    EXPECT_EQ(half, wanted());
}

TEST_F(DeadAdministrator, AShrinkThatIsNotReleasedYetCanBeTakenBack) {
    ASSERT_EQ(DROM_PENDING, change(table_, client_.upid(), {Order::kShrink, {}, 1}, plain_, &error_)) << error_.text;
    EXPECT_GE(change(table_, client_.upid(), {Order::kExpand, {}, 8}, plain_, &error_), 0) << error_.text;
    EXPECT_EQ(CpuSet::range(0, 8), wanted());
}

}  // namespace
