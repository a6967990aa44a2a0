// SPDX-License-Identifier: BSD-3-Clause
// run_cpus_test.cpp - which CPUs a newcomer gets.
#include "verbs/run_cpus.hpp"

#include <vector>

#include "property.hpp"
#include "small_node.hpp"

namespace {

using namespace drom::command;
using drom::CpuSet;
using drom::test::cpus;
using drom::test::holds;
using drom::test::small_node;

struct Row {
    const char* what;
    unsigned count;
    const char* allowed;
    const char* free;
    std::vector<Share> shares;
    const char* expected;  ///< or the beginning of the refusal
    bool takes;
};

const Row kRows[] = {
    {"one free core is enough for two", 2, "0-15", "1,4-5,8", {}, "4-5", false},
    {"the L3 that fits best, not the first", 4, "0-15", "0-2,4,8-11,12-15", {}, "8-11", false},
    {"free CPUs that fit nowhere together stay near one another", 3, "0-15", "0,7,8", {}, "0,7-8", false},
    {"only where it may run", 2, "8-15", "0-3,9,14", {}, "9,14", false},
    {"all that is free, the rest near it", 3, "0-15", "0", {{cpus("1-4"), 1}, {cpus("5-15"), 1}}, "0-1,3", true},
    {"taken near what is free already", 2, "0-15", "6", {{cpus("0-5,7-15"), 1}}, "6-7", true},
    {"the largest gives until another is larger", 4, "0-7", "", {{cpus("0-3"), 1}, {cpus("4-7"), 1}}, "2-3,6-7", true},
    {"a minimum is kept",
     3,
     "0-7",
     "",
     {{cpus("0-5"), 5}, {cpus("6-7"), 1}},
     "3 CPUs wanted; 0 free and 2 more can be taken",
     true},
    {"a rigid client gives nothing",
     1,
     "0-7",
     "",
     {{cpus("0-7"), 1, true}},
     "1 CPU wanted; 0 free and 0 more can be taken (clients keep their minimum); ask for fewer, or wait until one ends",
     true},
    {"only CPUs where the newcomer may run are taken", 1, "0-1", "", {{cpus("4-7"), 1}, {cpus("0-1"), 1}}, "1", true},
    {"a client that came while the table was read: its CPU was free",
     1,
     "0-1",
     "1",
     {{cpus("0"), 1}, {cpus("1"), 1}},
     "1",
     false},
    {"more than may be used", 3, "0-1", "0-7", {}, "3 CPUs wanted, but only 2 may be used here (0-1)", false},
};

TEST(Choose, DrainedCpusAreNamed) {
    RunOrder order;
    order.count = 3;
    order.allowed = order.free = cpus("0-1");
    order.drained = cpus("5");
    order.locations = small_node();
    auto choice = choose_cpus(order);
    ASSERT_FALSE(choice);
    EXPECT_EQ(choice.error().status, DROM_E_BUSY);
    EXPECT_EQ(choice.error().text,
              "3 CPUs wanted, but only 2 may be used here (0-1); drom restore gives back CPU 5, drained now");
    order.count = 4;
    choice = choose_cpus(order);
    ASSERT_FALSE(choice);
    EXPECT_EQ(choice.error().status, DROM_E_NOCPU) << "restoring it would not be enough";
}

TEST(Choose, InsideAClientThatHasAllNoOtherClientsEndIsWaitedFor) {
    RunOrder order;
    order.count = 1;
    order.allowed = order.around_cpus = cpus("1");
    order.free = cpus("5");
    order.shares = {{cpus("1"), 1}, {cpus("2"), 1}};
    order.around = "script (77)";
    order.locations = small_node();
    EXPECT_EQ(choose_cpus(order).error().text,
              "1 CPU wanted; 0 free and 0 more can be taken (clients keep their minimum); expand script (77), on whose "
              "CPUs this process runs, or start this command outside it; free outside this process's affinity (1): CPU "
              "5");
    order.allowed = cpus("1-2");
    EXPECT_TRUE(choose_cpus(order).error().text.find("; ask for fewer, or wait until one ends;") != std::string::npos)
        << "another client has one of the CPUs";
}

TEST(Choose, NewcomersGetWhatTheRowsSay) {
    for (const Row& row : kRows) {
        const auto choice = choose_cpus({row.count, cpus(row.allowed), cpus(row.free), row.shares, small_node()});
        if (choice) {
            EXPECT_EQ(choice->cpus.text(), row.expected) << row.what;
            EXPECT_EQ(choice->takes, row.takes) << row.what;
        } else {
            EXPECT_TRUE(choice.error().text.starts_with(row.expected)) << row.what << ": " << choice.error().text;
            // Those that are only in use may be had later: drom run --wait.
            const bool never = row.count > cpus(row.allowed).count();
            EXPECT_EQ(choice.error().status, never ? DROM_E_NOCPU : DROM_E_BUSY) << row.what;
        }
    }
}

TEST(Choose, WithoutATopologyLowNumbersComeFirst) {
    const drom_location unknown{UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX};
    EXPECT_EQ(choose_cpus({3, cpus("0-7"), cpus("2-7"), {}, drom::partition::Locations(8, unknown)})->cpus.text(),
              "2-4");
}

TEST(Choose, AnEqualShareIsNeverNothing) {
    EXPECT_EQ(equal_share(8, 1), 4U);
    EXPECT_EQ(equal_share(8, 2), 2U);
    EXPECT_EQ(equal_share(2, 5), 1U);
    EXPECT_EQ(equal_share(0, 0), 1U);
}

/// Returns an order of 1 to 17 CPUs on a node of 16. Each CPU is free, one of four clients', or neither, at random.
/// About one in eight is not allowed.
RunOrder any_order() {
    RunOrder order;
    order.locations = small_node();
    order.count = *rc::gen::inRange(1U, 18U);
    order.shares.resize(4);
    for (uint32_t i = 0; i < 4; ++i) {
        order.shares[i].min_cpus = *rc::gen::inRange(0U, 5U);
        order.shares[i].rigid = *rc::gen::inRange(0, 4) == 0;
    }
    for (unsigned cpu = 0; cpu < 16; ++cpu) {
        const auto owner = *rc::gen::inRange<size_t>(0, 6);
        if (owner < 4) order.shares[owner].cpus.add(cpu);
        if (owner == 4) order.free.add(cpu);
        if (*rc::gen::inRange(0, 8) != 0) order.allowed.add(cpu);
    }
    return order;
}

TEST(Choose, NoClientGetsWhatItMayNotHaveOrLosesWhatItMustKeep) {
    EXPECT_TRUE(holds("choices are lawful", [] {
        const RunOrder order = any_order();
        const auto choice = choose_cpus(order);
        if (!choice) return;
        RC_ASSERT(choice->cpus.count() == order.count);
        RC_ASSERT(order.allowed.contains(choice->cpus));
        RC_ASSERT(choice->takes == !order.free.contains(choice->cpus));
        CpuSet known = order.free;
        for (const Share& share : order.shares) {
            known = known | share.cpus;
            const bool touched = share.cpus.intersects(choice->cpus);
            RC_ASSERT(!touched || !share.rigid);
            RC_ASSERT(!touched || (share.cpus - choice->cpus).count() >= std::max(1U, share.min_cpus));
        }
        RC_ASSERT(known.contains(choice->cpus));
        // No client is asked while something is free.
        RC_ASSERT(!choice->takes || choice->cpus.contains(order.free & order.allowed));
    }));
}

TEST(Choose, ARefusalIsNeverForWantOfLooking) {
    EXPECT_TRUE(holds("refusals are justified", [] {
        const RunOrder order = any_order();
        if (choose_cpus(order)) return;
        unsigned available = (order.free & order.allowed).count();
        for (const Share& share : order.shares) {
            const unsigned min = std::max(1U, share.min_cpus);
            const unsigned spare = share.cpus.count() > min ? share.cpus.count() - min : 0;
            if (!share.rigid) available += std::min(spare, (share.cpus & order.allowed).count());
        }
        RC_ASSERT(available < order.count);
    }));
}

}  // namespace
