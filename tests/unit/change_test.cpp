// SPDX-License-Identifier: BSD-3-Clause
// change_test.cpp - add and remove move the CPUs they name and no others: of two simultaneous administrators neither
// loses a change.
#include <vector>

#include "memory_table.hpp"
#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;
using drom::test::MemoryTable;

constexpr uint32_t kCpus = 12;
constexpr PlanRules kRules{false, false, false, "drom: test"};

/// An administrator that may be stopped between making its plan and carrying it out.
class Administrator {
public:
    void plan(const MemoryTable& table, uint32_t slot, const CpuSet& cpus, bool gives) {
        cpus_ = cpus;
        gives_ = gives;
        plan_ = Plan{changes_.data(), 0, {}};
        const auto make = gives ? plan_add : plan_remove;
        RC_ASSERT(make(table.ledger, table.name(slot), cpus, kRules, plan_, &error_) == DROM_OK);
    }
    /// Carries out as carry_out(): an overtaken change is planned again.
    void carry_out(const MemoryTable& table, uint32_t slot) {
        for (int attempt = 0; attempt < 4; ++attempt) {
            bool complete = true;
            for (uint32_t i = 0; i < plan_.count; ++i)
                complete &=
                    change_owner(table.ledger, plan_.changes[i].cpu, plan_.changes[i].from, plan_.changes[i].to);
            if (complete) return;
            plan(table, slot, cpus_, gives_);
        }
        RC_FAIL("overtaken four times, and no other administrator was there");
    }

private:
    std::vector<Change> changes_ = std::vector<Change>(kCpus);
    Plan plan_{};
    CpuSet cpus_{};
    bool gives_ = false;
    drom_error error_{};
};

CpuSet some_of(uint32_t first, uint32_t count) {
    CpuSet set{};
    for (uint32_t cpu = first; cpu < first + count; ++cpu)
        if (*rc::gen::arbitrary<bool>()) set.add(cpu);
    return set;
}

TEST(Change, TwoAdministratorsThatMoveDifferentCpusOfOneClientBothHaveTheirWay) {
    EXPECT_TRUE(holds("add and remove at once", [] {
        const MemoryTable table(kCpus, 4);
        MemoryTable world(table);
        const uint32_t slot = world.join();
        world.give(slot, CpuSet::range(0, 1) | some_of(1, kCpus - 1));
        // CPU 0 stays the client's; one administrator moves 1-5, the other 6-11. Each may be overtaken after planning.
        Administrator administrators[2];
        const CpuSet theirs[2] = {CpuSet::range(1, 5), CpuSet::range(6, 6)};
        CpuSet expected = world.wanted(slot);
        for (int round = *rc::gen::inRange(1, 6); round > 0; --round) {
            const auto first = *rc::gen::inRange<size_t>(0, 2);
            for (size_t i = 0; i < 2; ++i) {
                const CpuSet cpus = some_of(theirs[i].first(), theirs[i].count());
                const bool gives = *rc::gen::arbitrary<bool>();
                administrators[i].plan(world, slot, cpus, gives);
                expected = gives ? expected | cpus : expected - cpus;
            }
            administrators[first].carry_out(world, slot);
            if (*rc::gen::arbitrary<bool>()) reconcile_all(world.ledger, world.pages);
            administrators[1 - first].carry_out(world, slot);
            if (*rc::gen::arbitrary<bool>()) world.finish();
            RC_ASSERT(world.wanted(slot) == expected);
        }
        world.finish();
        RC_ASSERT(world.owned(slot) == expected);
    }));
}

TEST(Change, NothingIsTakenFromAClientThatWouldHaveNothingLeft) {
    MemoryTable table(kCpus, 4);
    const uint32_t slot = table.join();
    table.give(slot, CpuSet::range(2, 3));
    std::vector<Change> changes(kCpus);
    Plan plan{changes.data(), 0, {}};
    drom_error error{};
    EXPECT_EQ(plan_remove(table.ledger, table.name(slot), CpuSet::range(0, 5), kRules, plan, &error), DROM_E_INVAL);
    EXPECT_NE(std::string(error.text).find("nothing would be left of CPUs 2-4 of client"), std::string::npos)
        << error.text;
    EXPECT_EQ(plan.count, 0U);
}

}  // namespace
