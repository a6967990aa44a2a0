// SPDX-License-Identifier: BSD-3-Clause
// masks_test.cpp - several clients get exactly the masks that were asked for, together or not at all.
#include <algorithm>
#include <string>
#include <vector>

#include "memory_table.hpp"
#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;
using drom::test::MemoryTable;

constexpr uint32_t kCpus = 12;
constexpr uint32_t kClients = 4;

PlanRules rules(bool take = false, bool fast = false, bool give_back = false) {
    return {take, give_back, fast, "drom: test"};
}

/// Masks for some of the clients of a table, as one plan.
class Assignment {
public:
    explicit Assignment(const MemoryTable& table) : table_(table) {}

    Assignment& give(uint32_t slot, const CpuSet& cpus) {
        for (uint32_t cpu = cpus.first(); cpu < kCpus; cpu = cpus.next(cpu + 1)) targets_[cpu] = table_.name(slot);
        cpus_ = cpus_ | cpus;
        return *this;
    }
    int plan(const PlanRules& how) {
        plan_ = Plan{changes_.data(), 0, {}};
        return plan_masks(table_.ledger, cpus_, targets_.data(), how, plan_, &error_);
    }
    /// Plans, and carries out; only the first `steps` words when there are more.
    int set(const PlanRules& how, uint32_t steps = kCpus) {
        if (const int status = plan(how); status != DROM_OK) return status;
        for (uint32_t i = 0; i < std::min(plan_.count, steps); ++i) {
            const Change& change = changes_[i];
            change_home(table_.ledger, change.cpu, change.home);
            change_owner(table_.ledger, change.cpu, change.from, change.to);
        }
        return DROM_OK;
    }
    [[nodiscard]] const SlotSet& touched() const { return plan_.touched; }
    [[nodiscard]] const char* text() const { return error_.text; }

private:
    const MemoryTable& table_;
    std::vector<Owner::Name> targets_ = std::vector<Owner::Name>(kCpus, Owner::none());
    std::vector<Change> changes_ = std::vector<Change>(kCpus);
    CpuSet cpus_{};
    Plan plan_{};
    drom_error error_{};
};

/// Gives the CPUs to four clients in some way; each has one at least. Some CPUs may be free, and some lent.
void share_out(MemoryTable& table) {
    std::vector<CpuSet> masks(kClients, CpuSet::empty());
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
        const auto owner = cpu < kClients ? cpu : *rc::gen::inRange<uint32_t>(0, kClients + 1);
        if (owner < kClients) masks[owner].add(cpu);
    }
    for (uint32_t slot = 0; slot < kClients; ++slot) {
        table.join();
        table.give(slot, masks[slot]);
    }
    for (uint32_t cpu = kClients; cpu < kCpus; ++cpu)
        if (table.word(cpu).owner() != Owner::none() && *rc::gen::inRange(0, 4) == 0)
            table.ledger.home(cpu).store(home_of(table.ledger, *rc::gen::inRange<uint32_t>(0, kClients)));
}

/// Leaves requests that no client has obeyed yet.
void leave_pending(MemoryTable& table) {
    std::vector<Change> changes(kCpus);
    for (int requests = *rc::gen::inRange(0, 3); requests > 0; --requests) {
        const auto slot = *rc::gen::inRange<uint32_t>(0, kClients);
        CpuSet mask{};
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu)
            if (*rc::gen::inRange(0, 3) == 0) mask.add(cpu);
        Plan plan{changes.data(), 0, {}};
        const PlanRules how = rules(true, false, *rc::gen::arbitrary<bool>());
        if (plan_mask(table.ledger, table.name(slot), mask, how, plan, nullptr) != DROM_OK) continue;
        for (uint32_t i = 0; i < plan.count; ++i) {
            change_home(table.ledger, changes[i].cpu, changes[i].home);
            change_owner(table.ledger, changes[i].cpu, changes[i].from, changes[i].to);
        }
        reconcile(table.ledger, table.pages, plan.touched);
    }
}

/// Returns new masks for the first `named` clients, out of their CPUs and free ones.
std::vector<CpuSet> some_masks(const MemoryTable& table, uint32_t named) {
    CpuSet pool = free_cpus(table.ledger);
    for (uint32_t slot = 0; slot < named; ++slot) pool = pool | table.wanted(slot);
    std::vector<CpuSet> masks(named, CpuSet::empty());
    uint32_t given = 0;
    for (uint32_t cpu = pool.first(); cpu < kCpus; cpu = pool.next(cpu + 1)) {
        const auto owner = given < named ? given : *rc::gen::inRange<uint32_t>(0, named + 1);
        if (owner < named) masks[owner].add(cpu);
        ++given;
    }
    return masks;
}

TEST(Masks, EachNamedClientHasExactlyItsMaskAndNoOtherIsTouched) {
    EXPECT_TRUE(holds("several masks at once", [] {
        MemoryTable table(kCpus, kClients);
        share_out(table);
        leave_pending(table);
        const auto named = *rc::gen::inRange<uint32_t>(1, kClients + 1);
        const std::vector<CpuSet> masks = some_masks(table, named);
        std::vector<CpuSet> others;
        for (uint32_t slot = named; slot < kClients; ++slot) others.push_back(table.wanted(slot));
        Assignment assignment(table);
        for (uint32_t slot = 0; slot < named; ++slot) assignment.give(slot, masks[slot]);
        const bool fast = *rc::gen::arbitrary<bool>();
        const int status = assignment.set(rules(false, fast));
        if (status == DROM_E_BUSY) {
            RC_ASSERT(!fast && std::string(assignment.text()).find("circle") != std::string::npos);
            RC_DISCARD("a circle");
        }
        RC_ASSERT(status == DROM_OK);
        reconcile(table.ledger, table.pages, assignment.touched());
        table.finish();
        for (uint32_t slot = 0; slot < named; ++slot) RC_ASSERT(table.owned(slot) == masks[slot]);
        for (uint32_t slot = named; slot < kClients; ++slot)
            RC_ASSERT((others[slot - named] - table.owned(slot)).none());
    }));
}

TEST(Masks, WhoeverFindsAPlanHalfDoneFinishesIt) {
    EXPECT_TRUE(holds("half of several masks", [] {
        MemoryTable table(kCpus, kClients);
        share_out(table);
        leave_pending(table);
        const std::vector<CpuSet> masks = some_masks(table, kClients);
        Assignment assignment(table);
        for (uint32_t slot = 0; slot < kClients; ++slot) assignment.give(slot, masks[slot]);
        const auto steps = *rc::gen::inRange<uint32_t>(0, kCpus);
        if (assignment.set(rules(), steps) == DROM_E_BUSY) RC_DISCARD("a circle");
        if (*rc::gen::arbitrary<bool>()) reconcile_all(table.ledger, table.pages);
        RC_ASSERT(assignment.set(rules()) == DROM_OK);
        reconcile(table.ledger, table.pages, assignment.touched());
        table.finish();
        for (uint32_t slot = 0; slot < kClients; ++slot) RC_ASSERT(table.owned(slot) == masks[slot]);
    }));
}

class TwoRanks : public testing::Test {
protected:
    void SetUp() override {
        for (uint32_t slot = 0; slot < 3; ++slot) table_.join();
        table_.give(0, CpuSet::range(0, 1));
        table_.give(1, CpuSet::range(1, 1));
        table_.give(2, CpuSet::range(2, 4));
    }
    MemoryTable table_{kCpus, kClients};
};

TEST_F(TwoRanks, ThatWouldWaitForOneAnotherForEverAreRefused) {
    Assignment exchange(table_);
    exchange.give(0, CpuSet::range(1, 1)).give(1, CpuSet::range(0, 1));
    EXPECT_EQ(DROM_E_BUSY, exchange.plan(rules()));
    EXPECT_NE(std::string(exchange.text()).find("in a circle"), std::string::npos) << exchange.text();
}

TEST_F(TwoRanks, ExchangeTheirOnlyCpusWhenBothMayUseBothMeanwhile) {
    Assignment exchange(table_);
    exchange.give(0, CpuSet::range(1, 1)).give(1, CpuSet::range(0, 1));
    ASSERT_EQ(DROM_OK, exchange.set(rules(false, true))) << exchange.text();
    reconcile(table_.ledger, table_.pages, exchange.touched());
    EXPECT_EQ(CpuSet::range(1, 1), table_.posted(0));
    EXPECT_EQ(CpuSet::range(0, 1), table_.posted(1));
    table_.finish();
    EXPECT_EQ(CpuSet::range(1, 1), table_.owned(0));
    EXPECT_EQ(CpuSet::range(0, 1), table_.owned(1));
}

TEST_F(TwoRanks, MoveAlongWhenTheLastOfThemHasAFreeCpuToGoTo) {
    Assignment along(table_);
    along.give(0, CpuSet::range(1, 1)).give(1, CpuSet::range(11, 1));
    ASSERT_EQ(DROM_OK, along.set(rules())) << along.text();
    reconcile(table_.ledger, table_.pages, along.touched());
    EXPECT_EQ(CpuSet::range(0, 1), table_.posted(0));  // not before CPU 1 is free
    table_.finish();
    EXPECT_EQ(CpuSet::range(1, 1), table_.owned(0));
    EXPECT_EQ(CpuSet::range(11, 1), table_.owned(1));
}

TEST_F(TwoRanks, CpusOfOthersNeedToBeTaken) {
    Assignment more(table_);
    more.give(0, CpuSet::range(0, 1) | CpuSet::range(2, 2)).give(1, CpuSet::range(1, 1));
    EXPECT_EQ(DROM_E_BUSY, more.plan(rules()));
    ASSERT_EQ(DROM_OK, more.set(rules(true))) << more.text();
    reconcile(table_.ledger, table_.pages, more.touched());
    table_.finish();
    EXPECT_EQ(CpuSet::range(4, 2), table_.owned(2));
    Assignment all(table_);
    all.give(0, CpuSet::range(2, 4)).give(1, CpuSet::range(1, 1));
    EXPECT_EQ(DROM_E_BUSY, all.plan(rules(true)));  // the third client would be left with no CPU
}

TEST_F(TwoRanks, OneThatHasEndedIsLeftOut) {
    Assignment both(table_);
    both.give(0, CpuSet::range(6, 2)).give(1, CpuSet::range(8, 2));
    table_.die(1);
    ASSERT_EQ(DROM_OK, both.set(rules())) << both.text();
    reconcile(table_.ledger, table_.pages, both.touched());
    table_.finish();
    EXPECT_EQ(CpuSet::range(6, 2), table_.owned(0));
    EXPECT_TRUE(free_cpus(table_.ledger).has(8));
}

}  // namespace
