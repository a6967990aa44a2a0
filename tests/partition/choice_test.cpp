// SPDX-License-Identifier: BSD-3-Clause
// choice_test.cpp - which CPUs a client gets: rows that say which rule decides, and what holds for every choice.
#include "partition/choice.hpp"

#include <memory>

#include "partition/distribution.hpp"
#include "random_node.hpp"

namespace {

using namespace drom;
using namespace drom::test;
using partition::Choice;
using partition::Demand;
using partition::Occupancy;

/// A client of a job, and the CPUs that it may lose.
struct Has {
    uint32_t job;
    const char* cpus;
    uint32_t may_lose;
};

Choice choose(const Occupancy& occupancy, const Demand& demand) {
    return partition::choose(occupancy, demand, *std::make_unique<partition::ChoiceRoom>());
}

Occupancy occupied(const Topology& machine, const std::vector<Has>& clients) {
    Occupancy all(machine.cpus, machine.locations.data());
    for (const Has& client : clients) {
        while (all.jobs <= client.job) all.add_job();
        all.add(client.job, cpus(client.cpus), client.may_lose);
    }
    return all;
}

struct Row {
    const char* what;
    const char* machine;
    std::vector<Has> clients;
    uint32_t count, may_take;
    const char* near;
    const char* chosen;
};

const Row kRows[] = {
    {"the L3 that is free, not the first free CPUs", "l3:2 core:4 pu:1", {{0, "0-1", 0}}, 4, 0, "", "4-7"},
    {"free CPUs of two L3s before a client's", "l3:2 core:4 pu:1", {{0, "0-2,4-6", 9}}, 2, 0, "", "3,7"},
    {"the last core of the largest client", "l3:1 core:8 pu:1", {{0, "0-4", 9}, {1, "5-7", 9}}, 1, 1, "", "4"},
    {"of equal jobs in turn", "l3:1 core:8 pu:1", {{0, "0-3", 9}, {1, "4-7", 9}}, 2, 2, "", "3,7"},
    {"clients of one job count as one",
     "l3:1 core:8 pu:1",
     {{0, "0-1", 9}, {0, "2-3", 9}, {1, "4-6", 9}},
     1,
     1,
     "7",
     "3"},
    {"of one job the largest client", "l3:1 core:8 pu:1", {{0, "0-4", 9}, {0, "5-7", 9}}, 2, 2, "", "3-4"},
    {"what a client needs stays", "l3:1 core:8 pu:1", {{0, "0-4", 1}, {1, "5-7", 9}}, 3, 3, "", "4,6-7"},
    {"near what it has, before a cache that is free", "l3:2 core:4 pu:1", {{0, "0-1", 9}}, 1, 0, "2", "3"},
    {"the other thread of its core", "l3:1 core:4 pu:2", {}, 1, 0, "2", "3"},
    {"a whole core before two halves", "l3:1 core:4 pu:2", {{0, "0", 0}, {1, "2", 0}}, 2, 0, "", "4-5"},
    {"half a core when there is no whole one", "l3:1 core:2 pu:2", {{0, "0-1", 1}, {1, "2-3", 1}}, 2, 2, "", "1,3"},
    {"no choice when not all can be had", "l3:1 core:4 pu:1", {{0, "0-3", 2}}, 3, 3, "", ""},
    {"no more of others than may be taken", "l3:1 core:4 pu:1", {{0, "0-2", 9}}, 2, 0, "", ""},
};

TEST(Choice, WhichRuleDecides) {
    for (const Row& row : kRows) {
        const Topology machine = synthetic(row.machine);
        const Choice choice = choose(occupied(machine, row.clients), {.min = row.count,
                                                                      .max = row.count,
                                                                      .may_take = row.may_take,
                                                                      .among = machine.cpus,
                                                                      .near = cpus(row.near)});
        EXPECT_EQ(text(choice.cpus), row.chosen) << row.what;
        EXPECT_EQ(choice.cpus, choice.left) << row.what;
    }
}

TEST(Choice, ACoreThatMovesWholeIsLeftWhole) {
    const Topology machine = synthetic("core:4 pu:2");
    Demand demand{.min = 3, .max = 3, .may_take = 3, .among = machine.cpus, .whole_cores = true};
    const Choice choice = choose(occupied(machine, {{0, "0-7", 9}}), demand);
    EXPECT_EQ(text(choice.left), "4-7");
    EXPECT_EQ(text(choice.cpus), "5-7") << "the last core comes first";
    EXPECT_TRUE(choose(occupied(machine, {{0, "0-7", 1}}), demand).cpus.none()) << "it can lose no whole core";
}

TEST(Choice, AsManyAsThereIsRoomForApartFromOthers) {
    const Topology machine = synthetic("package:2 core:4 pu:1");
    const Demand demand{.min = 1, .max = 8, .may_take = 0, .among = machine.cpus};
    EXPECT_EQ(text(choose(occupied(machine, {{0, "0-1", 0}}), demand).cpus), "4-7");
    const Topology caches = synthetic("l3:3 core:4 pu:1");
    const Demand half{.min = 1, .max = 6, .may_take = 6, .among = caches.cpus};
    EXPECT_EQ(text(choose(occupied(caches, {{0, "0-11", 6}}), half).cpus), "8-11") << "before equal shares";
}

/// A question at random: clients with random CPUs on a machine, of which some CPUs are free.
struct Question {
    const Topology machine = once_in(8) ? captured_machine() : small_machine();
    Occupancy occupancy{machine.cpus, machine.locations.data()};
    std::vector<CpuSet> has;  ///< of each client
    CpuSet held{};
    Demand demand{};

    Question() {
        const uint32_t jobs = any_of(0, 3);
        for (uint32_t job = 0; job < jobs; ++job) occupancy.add_job(once_in(3) ? any_of(0, 8) : partition::kAnyNumber);
        for (uint32_t client = 0; jobs > 0 && client < any_of(1, 5); ++client) {
            has.push_back(any_subset(machine.cpus - held, any_of(1, 4)));
            held = held | has.back();
            occupancy.add(any_of(0, jobs - 1), has.back(), once_in(4) ? 0 : any_of(1, 9));
        }
        demand.near = once_in(2) ? any_subset(machine.cpus - held, 3) : CpuSet{};
        demand.max = any_of(1, machine.cpus.count());
        demand.min = once_in(2) ? demand.max : any_of(1, demand.max);
        demand.may_take = any_of(0, demand.max);
        demand.among = once_in(3) ? any_subset(machine.cpus, 2) : machine.cpus;
        demand.whole_cores = once_in(2);
    }
    [[nodiscard]] CpuSet free() const { return (demand.among - held) - demand.near; }
};

TEST(Choice, NoJobLosesWhatItNeedsOrGetsMoreThanItAsksFor) {
    int taken = 0;
    EXPECT_TRUE(holds("choice", [&taken] {
        const Question asked;
        const Choice choice = choose(asked.occupancy, asked.demand);
        if (choice.cpus.none()) return;
        RC_ASSERT(choice.cpus.count() >= asked.demand.min && choice.cpus.count() <= asked.demand.max);
        RC_ASSERT(choice.left.contains(choice.cpus) && asked.demand.among.contains(choice.left));
        RC_ASSERT(!choice.left.intersects(asked.demand.near));
        if (!asked.demand.whole_cores) {
            RC_ASSERT(choice.left == choice.cpus);
            RC_ASSERT((choice.left & asked.held).count() <= asked.demand.may_take);
        }
        std::map<uint32_t, uint32_t> lost;
        for (size_t client = 0; client < asked.has.size(); ++client) {
            const auto& limits = asked.occupancy.occupants[client];
            const uint32_t loses = (asked.has[client] & choice.left).count();
            RC_ASSERT(loses <= limits.may_lose);
            RC_ASSERT((lost[limits.job] += loses) <= asked.occupancy.job_may_lose[limits.job]);
        }
        taken += choice.left.intersects(asked.held) ? 1 : 0;
    }));
    EXPECT_GT(taken, cases_a_property() / 20);
}

/// Needs a number that free CPUs and clients' CPUs allow together: a client's limit only, and parts of cores.
TEST(Choice, FreeCpusFirstAndARefusalOnlyWhenThereAreTooFew) {
    int refused = 0;
    EXPECT_TRUE(holds("free first", [&refused] {
        Question asked;
        asked.demand.whole_cores = false;
        for (uint16_t& limit : asked.occupancy.job_may_lose) limit = partition::kAnyNumber;
        asked.demand.min = asked.demand.max;
        const uint32_t free = asked.free().count();
        asked.demand.may_take = asked.demand.max > free ? asked.demand.max - free : 0;
        uint32_t spare = 0;
        for (size_t client = 0; client < asked.has.size(); ++client)
            spare += std::min<uint32_t>((asked.has[client] & asked.demand.among).count(),
                                        asked.occupancy.occupants[client].may_lose);
        const Choice choice = choose(asked.occupancy, asked.demand);
        RC_ASSERT(choice.cpus.none() == (free + spare < asked.demand.max));
        if (choice.cpus.intersects(asked.held)) RC_ASSERT(choice.cpus.contains(asked.free()));
        refused += choice.cpus.none() ? 1 : 0;
    }));
    EXPECT_GT(refused, cases_a_property() / 20);
}

TEST(Choice, TheNumbersOfDomainsMakeNoDifference) {
    EXPECT_TRUE(holds("numbers", [] {
        Question asked;
        const Choice choice = choose(asked.occupancy, asked.demand);
        std::vector<Location> sparse = asked.machine.locations;
        for (Location& location : sparse)
            location = {static_cast<uint16_t>(7 * location.core + 5), static_cast<uint16_t>(3 * location.l3),
                        location.numa, static_cast<uint16_t>(location.package + 2)};
        asked.occupancy.locations = sparse.data();
        RC_ASSERT(choose(asked.occupancy, asked.demand).cpus == choice.cpus);
    }));
}

std::string divided(const Topology& machine, const char* pool, const std::vector<const char*>& homes) {
    std::vector<partition::Task> tasks;
    for (const char* home : homes) tasks.push_back({cpus(home), 1, 1, UINT32_MAX});
    std::string masks;
    for (const CpuSet& mask : partition::distribute(machine, cpus(pool), tasks))
        masks += (masks.empty() ? "" : " ") + text(mask);
    return masks;
}

TEST(Division, WhoKeepsSomeChoosesBeforeWhoKeepsNothing) {
    EXPECT_EQ(divided(synthetic("package:2 core:4 pu:1"), "0-7", {"", "0"}), "4-7 0-3");
}

TEST(Division, WhatIsGivenUpIsFarFromWhatIsKept) {
    EXPECT_EQ(divided(synthetic("package:2 core:4 pu:1"), "0-7", {"0-2,4-6", ""}), "0-2,4 3,5-7");
    EXPECT_EQ(divided(synthetic("package:2 core:2 pu:2"), "0-7", {"0-3,6-7", ""}), "0-3 4-7");
}

TEST(Division, WholeCoresWhereTheNumbersAllow) {
    EXPECT_EQ(divided(synthetic("core:4 pu:2"), "0-7", {"", ""}), "0-3 4-7");
    EXPECT_EQ(divided(synthetic("core:4 pu:2"), "0-7", {"0-1", "2-3", "", ""}), "0-1 2-3 4-5 6-7");
}

}  // namespace
