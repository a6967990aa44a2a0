// SPDX-License-Identifier: BSD-3-Clause
// plan_test.cpp - the changes of a plan, and that a refused plan changes nothing. On ledgers in memory, with clients
// that obey.
#include "admin/plan.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "admin/order_cpus.hpp"
#include "memory_table.hpp"
#include "property.hpp"
#include "shmem/invariants.hpp"

namespace {

using namespace drom;
using drom::test::holds;
using drom::test::MemoryTable;

constexpr uint32_t kCpus = 12;
constexpr uint32_t kClients = 5;

CpuSet set_of(std::initializer_list<uint32_t> cpus) {
    CpuSet set{};
    for (uint32_t cpu : cpus) set.add(cpu);
    return set;
}

CpuSet any_mask() {
    CpuSet mask{};
    for (uint32_t bits = *rc::gen::inRange(0U, 1U << kCpus), cpu = 0; cpu < kCpus; ++cpu)
        if ((bits >> cpu & 1) != 0) mask.add(cpu);
    return mask;
}

constexpr PlanRules kPlain{false, false, false, "drom: test"};
constexpr PlanRules kTake{true, false, false, "drom: test"};
constexpr PlanRules kLend{true, true, false, "drom: test"};

PlanRules any_rules() { return {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(), false, "drom: test"}; }

struct Result {
    int status;
    std::string text;
};

CpuSet taken_for(const Ledger& ledger, Owner::Name client, const CpuSet& base, uint32_t count) {
    CpuSet taken{};
    EXPECT_TRUE(choose_taken(ledger, client, base, count, taken));
    return taken;
}

/// Plans and carries out word by word, at most `limit` of them, as an administrator that is killed then would.
template <class Make>
Result carry_out(MemoryTable& table, Make&& make, uint32_t limit = UINT32_MAX) {
    std::vector<Change> changes(table.ledger.cpus());
    Plan plan{changes.data(), 0, {}};
    drom_error error{};
    const int status = make(plan, &error);
    if (status != DROM_OK) return {status, error.text};
    for (uint32_t i = 0; i < std::min(plan.count, limit); ++i) {
        const Change& change = plan.changes[i];
        change_home(table.ledger, change.cpu, change.home);
        if (!change_owner(table.ledger, change.cpu, change.from, change.to)) return {DROM_E_BUSY, "overtaken"};
    }
    if (limit == UINT32_MAX) reconcile(table.ledger, table.pages, plan.touched);
    return {status, ""};
}

Result set_mask(MemoryTable& table, uint32_t slot, const CpuSet& mask, const PlanRules& rules,
                uint32_t limit = UINT32_MAX) {
    return carry_out(
        table,
        [&](Plan& plan, drom_error* e) { return plan_mask(table.ledger, table.name(slot), mask, rules, plan, e); },
        limit);
}
Result drain(MemoryTable& table, const CpuSet& mask, uint32_t limit = UINT32_MAX) {
    return carry_out(
        table, [&](Plan& plan, drom_error* e) { return plan_drain(table.ledger, mask, kTake, plan, e); }, limit);
}
Result restore(MemoryTable& table, const CpuSet& mask, uint32_t limit = UINT32_MAX) {
    return carry_out(
        table, [&](Plan& plan, drom_error* e) { return plan_restore(table.ledger, mask, kTake, plan, e); }, limit);
}

/// Several clients at some moment of their lives: some CPUs free, some drained, some requests not acknowledged, some
/// homes.
struct World {
    MemoryTable table{kCpus, kClients};
    std::vector<uint32_t> slots;

    World() {
        const auto clients = *rc::gen::inRange(1U, 4U);
        for (uint32_t i = 0; i < clients; ++i)
            slots.push_back(table.join(*rc::gen::inRange(1U, 3U), 0, *rc::gen::inRange(0, 6) == 0));
        CpuSet left = CpuSet::range(0, kCpus);
        for (uint32_t slot : slots) {
            const CpuSet mask = any_mask() & left;
            if (!mask.none()) table.give(slot, mask);
            left = left - mask;
        }
        for (auto steps = *rc::gen::inRange(0, 5); steps > 0; --steps) step();
    }
    uint32_t any_slot() { return slots[*rc::gen::inRange<size_t>(0, slots.size())]; }

    Result step(uint32_t limit = UINT32_MAX) {
        switch (*rc::gen::inRange(0, 7)) {
            case 0: return drain(table, any_mask(), limit);
            case 1: return restore(table, any_mask(), limit);
            case 2: table.release(any_slot()); return {DROM_OK, ""};
            case 3: reconcile_all(table.ledger, table.pages); return {DROM_OK, ""};
            default: return set_mask(table, any_slot(), any_mask(), any_rules(), limit);
        }
    }
};

/// Asserts every fact that must always hold of the words.
void assert_legal(const MemoryTable& table) {
    drom_error error{};
    RC_ASSERT(check_invariants(table.ledger, &error) == DROM_OK);
}

/// Asserts that nothing is pending: each CPU is a client's or free, and every client knows exactly its own CPUs.
void assert_finished(const MemoryTable& table) {
    assert_legal(table);
    CpuSet seen{};
    for (uint32_t slot = 0; slot < kClients; ++slot) {
        if (!is_live(table.ledger, table.name(slot))) continue;
        const CpuSet owned = table.owned(slot);
        RC_ASSERT(!seen.intersects(owned));
        seen = seen | owned;
        RC_ASSERT(owned == table.wanted(slot));
        if (!owned.none()) RC_ASSERT(table.posted(slot) == owned);
    }
    const CpuSet unowned = free_cpus(table.ledger);
    RC_ASSERT(!seen.intersects(unowned));
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
        RC_ASSERT(!table.word(cpu).is(Owner::kOffered));
        RC_ASSERT(seen.has(cpu) || unowned.has(cpu) || table.word(cpu).is(Owner::kDrained));
    }
}

TEST(Plan, NoCpuIsTwiceAndNoneIsLost) {
    EXPECT_TRUE(holds("partition", [] {
        World world;
        assert_legal(world.table);
        world.table.finish();
        assert_finished(world.table);
    }));
}

TEST(Plan, ARefusalChangesNothing) {
    EXPECT_TRUE(holds("refusal", [] {
        World world;
        const MemoryTable before(world.table);
        const Result result = world.step(0);
        if (result.status < 0) {
            RC_ASSERT(world.table.same_words(before));
            RC_ASSERT(result.text.starts_with("drom: "));
        }
    }));
}

TEST(Plan, TheClientGetsExactlyWhatWasAsked) {
    EXPECT_TRUE(holds("set", [] {
        World world;
        const uint32_t slot = world.any_slot();
        const CpuSet mask = any_mask();
        if (set_mask(world.table, slot, mask, any_rules()).status != DROM_OK) return;
        RC_ASSERT(world.table.wanted(slot) == mask);
        world.table.finish();
        RC_ASSERT(world.table.owned(slot) == mask);
        RC_ASSERT(world.table.posted(slot) == mask);
    }));
}

/// Asks a client of a node with three clients and five CPUs for one CPU or two, in one of the ways that move CPUs.
void ask_for_few(MemoryTable& table) {
    const auto slot = *rc::gen::inRange(0U, 3U);
    const auto cpu = *rc::gen::inRange(0U, 5U);
    const CpuSet few = *rc::gen::inRange(0, 4) == 0 ? set_of({cpu, *rc::gen::inRange(0U, 5U)}) : set_of({cpu});
    const PlanRules rules{*rc::gen::inRange(0, 4) != 0, false, *rc::gen::inRange(0, 10) == 0, "drom: test"};
    const auto add = [&](Plan& plan, drom_error* e) {
        return plan_add(table.ledger, table.name(slot), few, rules, plan, e);
    };
    const auto remove = [&](Plan& plan, drom_error* e) {
        return plan_remove(table.ledger, table.name(slot), few, rules, plan, e);
    };
    switch (*rc::gen::inRange(0, 12)) {
        case 0: carry_out(table, add); break;
        case 1: carry_out(table, remove); break;
        case 2: drain(table, few); break;
        case 3: restore(table, few); break;
        case 4:
            table.release(slot);
            reconcile_all(table.ledger, table.pages);
            break;
        default: set_mask(table, slot, few, rules);
    }
}

TEST(Plan, NoRequestWaitsForEver) {
    EXPECT_TRUE(holds("no request waits for ever", [] {
        MemoryTable table(5, kClients);
        for (const CpuSet& mask : {set_of({0}), set_of({1}), set_of({2, 3})}) table.give(table.join(), mask);
        for (auto steps = *rc::gen::inRange(3, 16); steps > 0; --steps) ask_for_few(table);
        table.finish();
        for (uint32_t cpu = 0; cpu < 5; ++cpu)
            RC_ASSERT(!table.word(cpu).is(Owner::kOffered) || table.word(cpu).owner() == Owner::none());
    }));
}

TEST(Plan, TheSameMaskAgainIsNoChange) {
    EXPECT_TRUE(holds("idempotent", [] {
        World world;
        const uint32_t slot = world.any_slot();
        const CpuSet mask = any_mask();
        const PlanRules rules = any_rules();
        if (set_mask(world.table, slot, mask, rules).status != DROM_OK) return;
        const MemoryTable before(world.table);
        RC_ASSERT(set_mask(world.table, slot, mask, rules).status == DROM_OK);
        RC_ASSERT(world.table.same_words(before));
        RC_ASSERT(world.table.posted(slot) == MemoryTable(before).posted(slot));
    }));
}

TEST(Plan, WithoutTakeNoOtherClientLosesACpu) {
    EXPECT_TRUE(holds("no take", [] {
        World world;
        world.table.finish();
        const MemoryTable before(world.table);
        const uint32_t slot = world.any_slot();
        if (set_mask(world.table, slot, any_mask(), kPlain).status != DROM_OK) return;
        for (uint32_t other : world.slots)
            if (other != slot) RC_ASSERT(world.table.wanted(other).contains(before.wanted(other)));
    }));
}

TEST(Plan, NoClientIsLeftBelowItsMin) {
    EXPECT_TRUE(holds("least", [] {
        World world;
        world.table.finish();
        const MemoryTable before(world.table);
        const uint32_t slot = world.any_slot();
        const Result result = *rc::gen::arbitrary<bool>() ? set_mask(world.table, slot, any_mask(), kTake)
                                                          : drain(world.table, any_mask());
        if (result.status != DROM_OK) return;
        for (uint32_t other : world.slots) {
            const uint32_t min = world.table.ledger.slot(other).min_cpus.load();
            const bool lost = !(world.table.wanted(other) == before.wanted(other));
            if (other != slot && lost) RC_ASSERT(world.table.wanted(other).count() >= min);
        }
    }));
}

TEST(Plan, EveryPrefixSettlesToALegalStateBetweenBeforeAndAfter) {
    EXPECT_TRUE(holds("prefix", [] {
        World world;
        world.table.finish();
        const MemoryTable before(world.table);
        MemoryTable after(world.table);
        const uint32_t slot = world.any_slot();
        const CpuSet mask = any_mask();
        const PlanRules rules = any_rules();
        if (set_mask(after, slot, mask, rules).status != DROM_OK) return;
        after.finish();
        set_mask(world.table, slot, mask, rules, *rc::gen::inRange(0U, kCpus));
        assert_legal(world.table);
        world.table.finish();
        assert_finished(world.table);
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
            const Owner::Name now = world.table.word(cpu).owner();
            RC_ASSERT(now == before.word(cpu).owner() || now == after.word(cpu).owner());
        }
    }));
}

TEST(Plan, AClientIsNeverLeftWithoutACpuByAnAdministratorsDeath) {
    EXPECT_TRUE(holds("never empty", [] {
        World world;
        world.table.finish();
        const uint32_t slot = world.any_slot();
        if (world.table.owned(slot).none()) return;
        set_mask(world.table, slot, any_mask(), any_rules(), *rc::gen::inRange(0U, kCpus));
        for (uint32_t each : world.slots) RC_ASSERT(world.table.owned(each).none() || !world.table.wanted(each).none());
    }));
}

TEST(Plan, ALentCpuComesHomeWhenItsBorrowerEnds) {
    EXPECT_TRUE(holds("homes", [] {
        MemoryTable table(kCpus, kClients);
        const uint32_t owner = table.join();
        table.give(owner, CpuSet::range(0, kCpus));
        const uint32_t guest = table.join();
        CpuSet borrowed = any_mask();
        borrowed.remove(0);
        if (borrowed.none()) return;
        RC_ASSERT(set_mask(table, guest, borrowed, kLend).status == DROM_OK);
        if (*rc::gen::arbitrary<bool>()) table.finish();
        table.die(guest);
        table.finish();
        RC_ASSERT(table.owned(owner) == CpuSet::range(0, kCpus));
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu) RC_ASSERT(table.ledger.home(cpu).load() == 0);
    }));
}

TEST(Plan, DrainAndRestoreHandBackWhatWasThere) {
    EXPECT_TRUE(holds("drain, restore", [] {
        World world;
        world.table.finish();
        restore(world.table, CpuSet::range(0, kCpus));
        world.table.finish();
        const MemoryTable before(world.table);
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu)
            if (world.table.ledger.home(cpu).load() != 0)
                return;  // lent CPUs go to their home instead: another property
        const CpuSet mask = any_mask();
        if (drain(world.table, mask).status != DROM_OK) return;
        if (*rc::gen::arbitrary<bool>()) world.table.finish();
        RC_ASSERT(restore(world.table, mask).status == DROM_OK);
        world.table.finish();
        for (uint32_t slot : world.slots) RC_ASSERT(world.table.owned(slot) == before.owned(slot));
    }));
}

// --- one by one ----------------------------------------------------------------------------------------------------

struct Two : testing::Test {
    MemoryTable table{8, 4};
    uint32_t a = table.join();
    uint32_t b = table.join();
    Two() {
        table.give(a, CpuSet::range(0, 4));
        table.give(b, CpuSet::range(4, 3));
    }
};

TEST_F(Two, AForeignCpuIsRefusedAndItsOwnerNamed) {
    const Result result = set_mask(table, a, set_of({0, 4}), kPlain);
    EXPECT_EQ(result.status, DROM_E_BUSY);
    EXPECT_NE(result.text.find("CPU 4 belongs to client"), std::string::npos) << result.text;
    EXPECT_NE(result.text.find("--take"), std::string::npos) << result.text;
}

TEST_F(Two, CpusThatDoNotExistAreNamed) {
    EXPECT_EQ(set_mask(table, a, set_of({0, 8}), kPlain).status, DROM_E_NOCPU);
    EXPECT_EQ(set_mask(table, a, CpuSet::empty(), kPlain).status, DROM_E_INVAL);
    table.ledger.owner(7).store(Owner{0}.with(Owner::none(), Owner::none(), Owner::kOffline).bits);
    EXPECT_NE(set_mask(table, a, set_of({0, 7}), kPlain).text.find("CPU 7 is offline"), std::string::npos);
    table.ledger.owner(7).store(Owner{0}.with(Owner::none(), Owner::none(), Owner::kAbsent).bits);
    EXPECT_NE(set_mask(table, a, set_of({0, 7}), kPlain).text.find("no CPU 7"), std::string::npos);
    EXPECT_EQ(drain(table, set_of({7})).status, DROM_E_NOCPU);
}

TEST_F(Two, ADrainedCpuIsRefusedUntilRestored) {
    ASSERT_EQ(drain(table, set_of({7})).status, DROM_OK);
    const Result result = set_mask(table, a, set_of({0, 7}), kTake);
    EXPECT_EQ(result.status, DROM_E_NOCPU);
    EXPECT_NE(result.text.find("drained"), std::string::npos);
    EXPECT_FALSE(free_cpus(table.ledger).has(7));
    ASSERT_EQ(restore(table, set_of({7})).status, DROM_OK);
    EXPECT_TRUE(free_cpus(table.ledger).has(7));
    EXPECT_EQ(set_mask(table, a, set_of({0, 7}), kPlain).status, DROM_OK);
}

TEST_F(Two, ARigidClientKeepsWhatItHas) {
    const uint32_t rigid = table.join(1, 0, true);
    table.give(rigid, set_of({7}));
    const Result result = set_mask(table, a, set_of({0, 7}), kTake);
    EXPECT_EQ(result.status, DROM_E_BUSY);
    EXPECT_NE(result.text.find("rigid"), std::string::npos);
    EXPECT_EQ(drain(table, set_of({7})).status, DROM_E_BUSY);
    EXPECT_FALSE(taken_for(table.ledger, table.name(a), CpuSet::empty(), 8).has(7));
}

TEST_F(Two, AnOfferedCpuIsStillItsOwnersUntilReleased) {
    ASSERT_EQ(set_mask(table, a, set_of({0, 1, 2, 3, 4}), kTake).status, DROM_OK);
    EXPECT_TRUE(table.owned(b).has(4));
    EXPECT_FALSE(table.posted(b).has(4)) << "the owner was not notified to leave";
    EXPECT_FALSE(table.posted(a).has(4)) << "the next owner was notified to start before the owner left";
    table.release(b);
    reconcile_all(table.ledger, table.pages);
    EXPECT_TRUE(table.owned(a).has(4));
    EXPECT_TRUE(table.posted(a).has(4));
}

TEST_F(Two, FastLetsTheNextOwnerStartAtOnce) {
    ASSERT_EQ(set_mask(table, a, set_of({0, 1, 2, 3, 4}), {true, false, true, "drom: test"}).status, DROM_OK);
    EXPECT_TRUE(table.posted(a).has(4));
    EXPECT_FALSE(table.posted(b).has(4));
    EXPECT_TRUE(table.owned(b).has(4));
}

TEST_F(Two, TheLastRequestWins) {
    ASSERT_EQ(set_mask(table, a, set_of({0}), kPlain).status, DROM_OK);
    ASSERT_EQ(set_mask(table, a, set_of({0, 1, 2, 3}), kPlain).status, DROM_OK);
    EXPECT_EQ(table.posted(a), CpuSet::range(0, 4));
    table.finish();
    EXPECT_EQ(table.owned(a), CpuSet::range(0, 4));
}

TEST_F(Two, WhoIsNotToldToLeaveAfterAllStays) {
    ASSERT_EQ(set_mask(table, a, set_of({0, 1, 2, 3, 4}), kTake).status, DROM_OK);
    ASSERT_EQ(set_mask(table, a, CpuSet::range(0, 4), kTake).status, DROM_OK);
    EXPECT_TRUE(table.posted(b).has(4));
    table.finish();
    EXPECT_TRUE(table.owned(b).has(4));
}

TEST_F(Two, ACpuTakenForGoodDoesNotComeBack) {
    // Drained and restored first: that leaves a home behind, which must not turn a later taking into a loan.
    ASSERT_EQ(drain(table, set_of({4})).status, DROM_OK);
    table.finish();
    ASSERT_EQ(restore(table, set_of({4})).status, DROM_OK);
    table.finish();
    ASSERT_TRUE(table.owned(b).has(4));
    ASSERT_EQ(set_mask(table, a, set_of({0, 1, 2, 3, 4}), kTake).status, DROM_OK);
    table.finish();
    ASSERT_TRUE(table.owned(a).has(4));
    table.die(a);
    table.finish();
    EXPECT_FALSE(table.owned(b).has(4)) << "it was taken without DROM_RETURN";
}

TEST_F(Two, TheNextOwnerOfAFastHandOverThatLosesItIsNotified) {
    const PlanRules fast{true, false, true, "drom: test"};
    ASSERT_EQ(set_mask(table, a, set_of({0, 1, 2, 3, 4}), fast).status, DROM_OK);
    ASSERT_TRUE(table.posted(a).has(4));
    const uint32_t c = table.join();
    if (set_mask(table, c, set_of({4}), kTake).status == DROM_OK) {
        EXPECT_FALSE(table.posted(a).has(4));
    }
    if (drain(table, set_of({4})).status == DROM_OK) {
        EXPECT_FALSE(table.posted(a).has(4)) << "it runs on a drained CPU";
    }
}

TEST_F(Two, AThirdClientNeverGetsACpuThatAFastNextOwnerStillUses) {
    ASSERT_EQ(set_mask(table, a, set_of({0, 1, 2, 3, 4}), {true, false, true, "drom: test"}).status, DROM_OK);
    table.release(a);  // it runs on CPU 4 by now
    const uint32_t c = table.join();
    if (set_mask(table, c, set_of({4}), kTake).status != DROM_OK) return;
    table.release(b);  // the former owner has left; the fast next owner has not
    reconcile_all(table.ledger, table.pages);
    EXPECT_FALSE(table.posted(c).has(4)) << "CPU 4 is in two masks";
}

/// Three clients of which two want what the other two still have. No client has answered yet.
struct Waiting : testing::Test {
    MemoryTable table{8, 4};
    uint32_t a = table.join(), b = table.join(), c = table.join();
    Waiting() {
        table.give(a, set_of({0}));
        table.give(b, set_of({2}));
        table.give(c, set_of({4, 5}));
        EXPECT_EQ(set_mask(table, b, set_of({4}), kTake).status, DROM_OK);   // b waits for c
        EXPECT_EQ(set_mask(table, a, set_of({2}), kPlain).status, DROM_OK);  // a waits for b
    }
};

TEST_F(Waiting, ARequestThatWouldLetTwoClientsWaitForOneAnotherForEverIsRefused) {
    const Result result = set_mask(table, b, set_of({0}), kPlain);
    EXPECT_EQ(result.status, DROM_E_BUSY);
    EXPECT_NE(result.text.find("in a circle"), std::string::npos) << result.text;
    table.finish();
    EXPECT_EQ(table.owned(a), set_of({2}));
    EXPECT_EQ(table.owned(b), set_of({4}));
    EXPECT_EQ(table.owned(c), set_of({5}));
}

TEST_F(Waiting, ADrainThatWouldLetTwoClientsWaitForOneAnotherForEverIsRefused) {
    ASSERT_EQ(set_mask(table, b, set_of({0, 4}), kPlain).status, DROM_OK);
    const Result result = drain(table, set_of({4}));
    EXPECT_EQ(result.status, DROM_E_BUSY);
    EXPECT_NE(result.text.find("in a circle"), std::string::npos) << result.text;
}

TEST_F(Waiting, AClientThatIsNotifiedToLeaveHoldsUpNoOther) {
    ASSERT_EQ(set_mask(table, c, set_of({0}), kPlain).status, DROM_OK);  // c was posted {5}, and leaves 4 for b
    table.finish();
    EXPECT_EQ(table.owned(a), set_of({2}));
    EXPECT_EQ(table.owned(b), set_of({4}));
    EXPECT_EQ(table.owned(c), set_of({0}));
}

TEST_F(Two, ALentCpuWhoseBorrowerDiedBeforeItCameStaysWithItsOwner) {
    ASSERT_EQ(set_mask(table, a, set_of({0, 1, 2, 3, 4}), {true, true, false, "drom: test"}).status, DROM_OK);
    ASSERT_FALSE(table.posted(b).has(4));
    table.die(a);
    reconcile_all(table.ledger, table.pages);
    EXPECT_FALSE(table.word(4).is(Owner::kOffered)) << "no client would get it";
    EXPECT_TRUE(table.posted(b).has(4));
}

TEST_F(Two, CpusOfTheDeadAreFree) {
    table.die(b);
    EXPECT_TRUE(free_cpus(table.ledger).contains(CpuSet::range(4, 4)));
    EXPECT_EQ(set_mask(table, a, CpuSet::range(0, 8), kPlain).status, DROM_OK);
    EXPECT_EQ(table.owned(a), CpuSet::range(0, 8));
    EXPECT_EQ(table.posted(a), CpuSet::range(0, 8));
}

TEST_F(Two, TakingStopsAtEverybodysLeast) {
    const Result result = set_mask(table, a, CpuSet::range(0, 7), kTake);
    EXPECT_EQ(result.status, DROM_E_BUSY);
    EXPECT_NE(result.text.find("would be left with 0 CPUs and needs 1"), std::string::npos) << result.text;
    EXPECT_EQ(taken_for(table.ledger, table.name(a), CpuSet::range(0, 4), 8).count(), 2U);
}

TEST(ChooseTaken, TheLargestJobGivesFirstAlsoWhereItsClientsAreSmall) {
    MemoryTable table(9, 4);
    uint32_t slots[4];
    for (uint32_t& slot : slots) slot = table.join();
    const CpuSet masks[] = {set_of({0}), set_of({1, 2}), set_of({3, 4}), set_of({5, 6, 7})};
    for (int i = 0; i < 4; ++i) table.give(slots[i], masks[i]);
    const auto giver = [&] { return taken_for(table.ledger, table.name(slots[0]), masks[0], 1); };
    EXPECT_TRUE(masks[3].contains(giver()));
    for (int i : {1, 2}) strcpy(table.ledger.slot(slots[i]).job, "ranks");
    EXPECT_TRUE((masks[1] | masks[2]).contains(giver()));
}

TEST(ChooseTaken, TheLargestGiveFirstAndNoneGoesBelowItsMin) {
    EXPECT_TRUE(holds("choose_taken", [] {
        World world;
        world.table.finish();
        const uint32_t slot = world.any_slot();
        const auto count = *rc::gen::inRange(0U, kCpus);
        const CpuSet taken = taken_for(world.table.ledger, world.table.name(slot), world.table.wanted(slot), count);
        RC_ASSERT(taken.count() <= count);
        RC_ASSERT(!taken.intersects(world.table.wanted(slot)));
        uint32_t smallest_giver = UINT32_MAX;
        uint32_t largest_keeper = 0;
        for (uint32_t other : world.slots) {
            const CpuSet has = world.table.wanted(other);
            const Slot& s = world.table.ledger.slot(other);
            if (other == slot || has.none()) continue;
            const bool rigid = (state_of(s).flags & slot_flag::kRigid) != 0;
            const CpuSet kept = has - taken;
            if (has.intersects(taken)) {
                RC_ASSERT(!rigid && kept.count() >= s.min_cpus.load());
                smallest_giver = std::min(smallest_giver, kept.count() + 1);
            }
            if (!rigid && kept.count() > s.min_cpus.load()) largest_keeper = std::max(largest_keeper, kept.count());
        }
        if (smallest_giver != UINT32_MAX) RC_ASSERT(largest_keeper <= smallest_giver);
        if (taken.count() < count) RC_ASSERT(largest_keeper == 0U);
    }));
}

}  // namespace
