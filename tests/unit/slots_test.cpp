// SPDX-License-Identifier: BSD-3-Clause
// slots_test.cpp - slots: claimed once, never confused with their former user, blank for the next one.
#include "shmem/slots.hpp"

#include <cstring>
#include <set>
#include <vector>

#include "memory_table.hpp"
#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;
using drom::test::MemoryTable;

constexpr uint32_t kClients = 6;

TEST(Slots, EachSlotIsClaimedOnceAndAFullTableSaysSo) {
    const MemoryTable table(2, kClients);
    std::set<uint32_t> slots;
    for (uint32_t i = 0; i < kClients; ++i) EXPECT_TRUE(slots.insert(claim_slot(table.ledger)).second);
    EXPECT_FALSE(slots.contains(kNoSlot));
    EXPECT_EQ(claim_slot(table.ledger), kNoSlot);
}

TEST(Slots, AClaimedSlotHasNoClientYet) {
    const MemoryTable table(2, kClients);
    const uint32_t slot = claim_slot(table.ledger);
    EXPECT_FALSE(is_live(table.ledger, table.name(slot)));
    EXPECT_EQ(find_pid(table.ledger, self().pid), kNoSlot);
    EXPECT_FALSE(is_half_made(table.ledger, table.ledger.slot(slot))) << "its claimer lives";
}

/// Makes the slot look as after the claimer's first store.
void unsign(Slot& slot) { slot.claimer.signs.store(state_of(slot).generation - 1); }

void claim_as(Slot& slot, uint64_t pid) {
    slot.state.store((slot.state.load() & ~(uint64_t{0x3fffff} << 32)) | pid << 32);
}

TEST(Slots, ASlotIsNotHalfMadeBecauseItsFormerClaimerDied) {
    const MemoryTable table(2, kClients);
    Slot& slot = table.ledger.slot(0);
    ASSERT_EQ(claim_slot(table.ledger), 0U);
    // The state word names the claimer; the rest of the slot is still the former user's.
    unsign(slot);
    write_identity(slot.claimer, {0x3ffffe, 1, self().pidns});
    EXPECT_FALSE(is_half_made(table.ledger, slot));
    claim_as(slot, 0x3ffffd);
    EXPECT_TRUE(is_half_made(table.ledger, slot)) << "its claimer has never signed it and is dead";
    claim_as(slot, 0x3ffffe);
    EXPECT_TRUE(is_half_made(table.ledger, slot));
}

TEST(Slots, ASlotIsNotHalfMadeBecauseItsFormerClaimerHadTheSamePid) {
    const MemoryTable table(2, kClients);
    Slot& slot = table.ledger.slot(0);
    ASSERT_EQ(claim_slot(table.ledger), 0U);
    unsign(slot);
    write_identity(slot.claimer, {self().pid, 1, self().pidns});
    EXPECT_FALSE(is_half_made(table.ledger, slot)) << "the claimer lives, and has not signed the slot yet";
}

TEST(Slots, ASlotThatAnotherNamespaceClaimsIsNotHalfMade) {
    MemoryTable table(2, kClients);
    Slot& slot = table.ledger.slot(0);
    table.ledger.header().pidns = self().pidns + 1;  // the table of a container: its processes have other numbers here
    ASSERT_EQ(claim_slot(table.ledger), 0U);
    unsign(slot);
    claim_as(slot, 0x3ffffd);
    EXPECT_FALSE(is_half_made(table.ledger, slot)) << "the number is of an unknown namespace";
    table.ledger.header().pidns = self().pidns;
    EXPECT_FALSE(is_half_made(table.ledger, slot)) << "the number is not of the table's namespace";
    slot.claimer.signs.store(state_of(slot).generation);
    write_identity(slot.claimer, {0x3ffffd, 1, self().pidns + 1});
    EXPECT_FALSE(is_half_made(table.ledger, slot)) << "it has signed, and cannot be judged from here";
    EXPECT_EQ(reap(table.ledger, table.pages, "/nonexistent"), 0U);
}

TEST(Slots, AClaimOfTheTablesNamespaceIsNotJudgedFromAnother) {
    MemoryTable table(2, kClients);
    Slot& slot = table.ledger.slot(0);
    ASSERT_EQ(claim_slot(table.ledger), 0U);
    unsign(slot);
    claim_as(slot, 0x3ffffd);
    EXPECT_TRUE(is_half_made(table.ledger, slot));
    table.ledger.header().pidns = self().pidns + 1;  // as if this process looked from another namespace
    EXPECT_FALSE(is_half_made(table.ledger, slot));
}

/// Returns a dead process: the largest number that a pid can have, in another tick.
ProcessIdentity dead_process() { return {4'194'303, 1, self().pidns}; }

TEST(Slots, ASlotWhoseClaimerDiedIsFreeAgain) {
    MemoryTable table(4, 1);
    const uint32_t slot = claim_slot(table.ledger);
    Slot& s = table.ledger.slot(slot);
    const SlotState claimed = state_of(s);
    write_identity(s.claimer, dead_process());
    s.state.store(pack_state(claimed) | uint64_t{dead_process().pid & 0x3fffff} << 32);
    ASSERT_EQ(claim_slot(table.ledger), kNoSlot);
    EXPECT_EQ(reap(table.ledger, table.pages, "/nonexistent"), 1U);
    EXPECT_EQ(claim_slot(table.ledger), slot);
}

TEST(Slots, ASlotWhoseReaperDiedIsFreeAgain) {
    MemoryTable table(4, 1);
    const uint32_t slot = table.join();
    Slot& s = table.ledger.slot(slot);
    write_identity(s.client, dead_process());
    move_slot(table.ledger, slot, state_of(s).generation, phase::kLeaving, 0);
    EXPECT_EQ(reap(table.ledger, table.pages, "/nonexistent"), 1U);
    EXPECT_EQ(state_of(s).phase, phase::kFree);
}

TEST(Slots, ANameNeverPassesToTheSlotsNextUser) {
    EXPECT_TRUE(holds("generations", [] {
        MemoryTable table(4, 1);
        std::vector<Owner::Name> names;
        std::vector<uint64_t> homes;
        for (auto users = *rc::gen::inRange(1, 8); users > 0; --users) {
            const uint32_t slot = table.join();
            for (const Owner::Name& former : names) RC_ASSERT(!is_live(table.ledger, former));
            RC_ASSERT(is_live(table.ledger, table.name(slot)));
            table.ledger.home(0).store(homes.empty() ? 0 : homes.back());
            RC_ASSERT(home_owner(table.ledger, 0) == Owner::none());
            table.ledger.home(0).store(home_of(table.ledger, slot));
            RC_ASSERT(home_owner(table.ledger, 0) == table.name(slot));
            names.push_back(table.name(slot));
            homes.push_back(home_of(table.ledger, slot));
            retire(table.ledger, table.pages, "/nonexistent", slot, table.ledger.slot(slot).state.load(),
                   DROM_EVENT_LEAVE);
        }
    }));
}

TEST(Slots, AJudgementOfTheFormerUserDoesNotEndTheNextOne) {
    MemoryTable table(4, 1);
    const uint32_t slot = table.join();
    const uint64_t seen = table.ledger.slot(slot).state.load();
    EXPECT_TRUE(retire(table.ledger, table.pages, "/nonexistent", slot, seen, DROM_EVENT_REAP));
    // A reaper that had judged the former user comes late: another process is joining.
    ASSERT_EQ(claim_slot(table.ledger), slot);
    EXPECT_FALSE(retire(table.ledger, table.pages, "/nonexistent", slot, seen, DROM_EVENT_REAP));
    EXPECT_EQ(state_of(table.ledger.slot(slot)).phase, phase::kClaimed) << "the newcomer lost its slot while joining";
}

TEST(Slots, AVerdictOfTheProgramBeforeDoesNotEndTheOneThatTookItsPlace) {
    MemoryTable table(4, 1);
    const uint32_t slot = table.join();
    Slot& s = table.ledger.slot(slot);
    write_identity(s.client, dead_process());
    const uint64_t seen = s.state.load();
    ASSERT_TRUE(is_abandoned(s));
    write_identity(s.client, self());
    ASSERT_TRUE(sign_takeover(table.ledger, slot, state_of(s).generation, phase::kLive));
    EXPECT_FALSE(retire(table.ledger, table.pages, "/nonexistent", slot, seen, DROM_EVENT_REAP));
    change_phase(table.ledger, slot, state_of(s).generation, phase::kLive, phase::kReserved);
    change_phase(table.ledger, slot, state_of(s).generation, phase::kReserved, phase::kLive);
    EXPECT_FALSE(retire(table.ledger, table.pages, "/nonexistent", slot, seen, DROM_EVENT_REAP));
    EXPECT_TRUE(is_live(table.ledger, table.name(slot)));
}

TEST(Slots, OfTwoProcessesThatReplaceAClientTheSlowerOneIsRefused) {
    MemoryTable table(4, 1);
    Slot& slot = table.ledger.slot(table.join());
    uint32_t first = slot.client.pid.load(), second = first;
    ASSERT_TRUE(replace_client(slot, first, {17, 18, 19}));
    EXPECT_TRUE(read_identity(slot.client) == (ProcessIdentity{17, 18, 19}));
    EXPECT_FALSE(replace_client(slot, second, {27, 28, 29}));
    EXPECT_EQ(second, 17U) << "the process that was faster";
    EXPECT_TRUE(read_identity(slot.client) == (ProcessIdentity{17, 18, 19}));
}

TEST(Slots, ASlotThatIsHandedOnKeepsItsPhaseAndItsLimits) {
    MemoryTable table(4, 1);
    const uint32_t index = table.join();
    Slot& slot = table.ledger.slot(index);
    const SlotState before = state_of(slot);
    set_limits(slot, 2, 3);
    set_limits(slot, 0, 4);
    set_limits(slot, 1, 0);
    ASSERT_TRUE(hand_on(table.ledger, {index, before.generation}, {17, 18, 19}));
    EXPECT_TRUE(read_identity(slot.client) == (ProcessIdentity{17, 18, 19}));
    EXPECT_EQ(state_of(slot).phase, before.phase);
    EXPECT_EQ(slot.min_cpus.load(), 1U);
    EXPECT_EQ(slot.max_cpus.load(), 4U);
    EXPECT_FALSE(hand_on(table.ledger, {index, before.generation + 1}, {27, 28, 29})) << "another user's slot";
}

TEST(Slots, ASlotWithoutItsLauncherIsAbandonedWithItsClient) {
    MemoryTable table(4, 1);
    Slot& slot = table.ledger.slot(table.join());
    write_identity(slot.client, {0x3ffffe, 1, self().pidns});
    write_identity(slot.launcher, self());
    EXPECT_FALSE(is_abandoned(slot));
    forget_launcher(slot);
    EXPECT_TRUE(is_abandoned(slot));
}

TEST(Slots, WhatHasBeenReapedIsNotTakenOver) {
    MemoryTable table(4, 1);
    const uint32_t slot = table.join();
    const uint32_t generation = state_of(table.ledger.slot(slot)).generation;
    EXPECT_TRUE(
        retire(table.ledger, table.pages, "/nonexistent", slot, table.ledger.slot(slot).state.load(), DROM_EVENT_REAP));
    EXPECT_FALSE(sign_takeover(table.ledger, slot, generation, phase::kLive));
}

TEST(Slots, AMoveOfAnotherGenerationChangesNothing) {
    EXPECT_TRUE(holds("move", [] {
        MemoryTable table(4, 2);
        const uint32_t slot = table.join();
        const uint32_t generation = state_of(table.ledger.slot(slot)).generation;
        const uint64_t before = table.ledger.slot(slot).state.load();
        const auto other = *rc::gen::arbitrary<uint32_t>();
        if (other == generation) return;
        RC_ASSERT(!move_slot(table.ledger, slot, other, phase::kFree, 0));
        RC_ASSERT(table.ledger.slot(slot).state.load() == before);
        RC_ASSERT(move_slot(table.ledger, slot, generation, phase::kLeaving, 0));
    }));
}

TEST(Slots, TheNextUserStartsBlank) {
    MemoryTable table(4, 1);
    const uint32_t slot = table.join(2, 3, true);
    std::strcpy(table.ledger.slot(slot).name, "former");
    table.give(slot, CpuSet::range(0, 3));
    retire(table.ledger, table.pages, "/nonexistent", slot, table.ledger.slot(slot).state.load(), DROM_EVENT_LEAVE);
    ASSERT_EQ(claim_slot(table.ledger), slot);
    const Slot& next = table.ledger.slot(slot);
    EXPECT_STREQ(next.name, "");
    EXPECT_EQ(next.min_cpus.load(), 1U);
    EXPECT_EQ(next.max_cpus.load(), 0U);
    EXPECT_EQ(read_identity(next.client).pid, 0U);
    EXPECT_EQ(table.ledger.mailbox(slot).newest.load(), 0U);
    Request posted{};
    EXPECT_FALSE(read_request(table.ledger, slot, posted));
}

TEST(Slots, TheFirstProcessOfEachContainerIsAnotherOne) {
    MemoryTable table(4, 4);
    const ProcessIdentity me = self();
    const auto joins = [&](uint32_t pid, uint64_t pidns) {
        const uint32_t slot = table.join();
        write_identity(table.ledger.slot(slot).client, {pid, me.start, pidns});
        return slot;
    };
    const uint32_t inside = joins(4194001, me.pidns + 1);
    EXPECT_EQ(find_pid(table.ledger, 4194001), kNoSlot)
        << "a process here could not join, because of one in a container";
    EXPECT_EQ(find_listed_pid(table.ledger, 4194001), inside) << "drom list shows it by this number";
    const uint32_t here = joins(4194001, me.pidns);
    EXPECT_EQ(find_pid(table.ledger, 4194001), here);
    EXPECT_EQ(find_listed_pid(table.ledger, 4194001), here);
    // A process's own number never means another process.
    joins(me.pid, me.pidns + 1);
    EXPECT_EQ(find_pid(table.ledger, me.pid), kNoSlot);
    EXPECT_EQ(find_listed_pid(table.ledger, me.pid), kNoSlot);
    const uint32_t own = joins(me.pid, me.pidns);
    EXPECT_EQ(find_pid(table.ledger, me.pid), own);
    EXPECT_EQ(find_listed_pid(table.ledger, me.pid), own);
}

TEST(Slots, StatesComeBack) {
    EXPECT_TRUE(holds("state", [] {
        const MemoryTable table(2, 1);
        const SlotState state{*rc::gen::inRange<uint64_t>(0, 5), *rc::gen::inRange<uint64_t>(0, 256),
                              *rc::gen::arbitrary<uint32_t>(), *rc::gen::arbitrary<uint16_t>()};
        table.ledger.slot(0).state.store(pack_state(state));
        const SlotState back = state_of(table.ledger.slot(0));
        RC_ASSERT(back.phase == state.phase && back.flags == state.flags && back.generation == state.generation);
        RC_ASSERT(back.takes == state.takes);
    }));
}

TEST(Slots, SlotsBeyondTheTableHaveNoClients) {
    const MemoryTable table(2, 1);
    EXPECT_FALSE(is_live(table.ledger, {1, 0}));
    EXPECT_FALSE(is_live(table.ledger, Owner::none()));
    table.ledger.home(0).store(uint64_t{2} << 32 | 1);
    EXPECT_EQ(home_owner(table.ledger, 0), Owner::none());
    table.ledger.home(0).store(UINT64_MAX);
    EXPECT_EQ(home_owner(table.ledger, 0), Owner::none());
}

TEST(Identity, PackingIsExact) {
    EXPECT_TRUE(holds("pack", [] {
        const ProcessIdentity identity{*rc::gen::inRange(1U, 1U << 22),
                                       *rc::gen::inRange<uint64_t>(0, uint64_t{1} << 42), self().pidns};
        const ProcessIdentity back = unpacked(packed(identity));
        RC_ASSERT(back.pid == identity.pid && back.start == identity.start && back.pidns == identity.pidns);
    }));
}

TEST(Identity, ThisProcessLives) {
    EXPECT_EQ(liveness(self()), Liveness::kAlive);
    ProcessIdentity identity{};
    ASSERT_TRUE(identify(self().pid, identity));
    EXPECT_EQ(identity.start, self().start);
    EXPECT_EQ(uid_of(self().pid), geteuid());
}

TEST(Identity, AnotherStartTimeIsAnotherProcess) {
    EXPECT_TRUE(holds("start time", [] {
        ProcessIdentity identity = self();
        const auto ticks = *rc::gen::inRange<uint64_t>(1, 1000);
        const bool later = *rc::gen::arbitrary<bool>();
        identity.start += later ? ticks : 0 - ticks;
        // The start time of a process in a time namespace that shifts by part of a tick may be noted too late. Another
        // process that has its pid by now still began later.
        const bool may_be_it = later && ticks <= 2;
        RC_ASSERT(liveness(identity) == (may_be_it ? Liveness::kAlive : Liveness::kDead));
    }));
}

TEST(Identity, NoProcessIsDeadAndAnotherNamespaceIsUnknown) {
    EXPECT_EQ(liveness({}), Liveness::kDead);
    ProcessIdentity identity = self();
    ++identity.pidns;
    EXPECT_EQ(liveness(identity), Liveness::kUnknown);
    EXPECT_EQ(uid_of(0x3ffffe), UINT32_MAX);
}

}  // namespace
