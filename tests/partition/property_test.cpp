// SPDX-License-Identifier: BSD-3-Clause
// property_test.cpp - properties of every sequence of arrivals and departures, on captured machines and small ones.
#include <algorithm>

#include "objective.hpp"
#include "random_node.hpp"

namespace {

using namespace drom;
using namespace drom::test;
using partition::Arrival;
using partition::Client;
using partition::Clients;

const Topology& any_machine() {
    static Topology small;
    if (once_in(8)) return captured_machine();
    return small = small_machine();
}

/// Returns a machine with one CPU per core, so that no core ever belongs to two jobs.
Topology synthetic_machine() {
    static const std::vector<Topology> machines{
        synthetic("package:2 core:4 pu:1"), synthetic("package:2 l3:2 core:3 pu:1"), synthetic("numa:4 core:4 pu:1")};
    return machines[any_of(0, static_cast<uint32_t>(machines.size()) - 1)];
}

uint32_t floor_of(const Client& client) { return std::max({1U, client.ranks, client.min_cpus}); }

std::set<uint64_t> jobs_of(const Clients& clients) {
    std::set<uint64_t> jobs;
    for (const Client& client : clients) jobs.insert(client.job);
    return jobs;
}

const Client* find(const Clients& clients, uint32_t id) {
    for (const Client& client : clients)
        if (client.id == id) return &client;
    return nullptr;
}

/// Checks that each task has only CPUs of the machine, and that no CPU belongs to two tasks. Checks that each task
/// has at least its minimum and at most its maximum.
void check_masks(const Node& node) {
    CpuSet seen{};
    for (const Client& client : node.clients) {
        RC_ASSERT(node.topology.cpus.contains(client.mask));
        RC_ASSERT(!client.mask.intersects(seen));
        seen = seen | client.mask;
        if (client.fixed) continue;
        RC_ASSERT(client.mask.count() >= floor_of(client));
        RC_ASSERT(client.max_cpus == 0 || client.mask.count() <= std::max(client.max_cpus, floor_of(client)));
    }
}

/// Checks that tasks of a job differ by one CPU at most. All tasks of a generated job are alike; fixed ones do not
/// count.
void check_balance(const Clients& clients, uint64_t job) {
    uint32_t min_cpus = kMaxCpus, max_cpus = 0;
    for (const Client& client : clients) {
        if (client.job != job || client.fixed) continue;
        min_cpus = std::min(min_cpus, client.mask.count());
        max_cpus = std::max(max_cpus, client.mask.count());
    }
    RC_ASSERT(max_cpus == 0 || max_cpus - min_cpus <= 1);
}

void check_same_masks(const Clients& a, const Clients& b) {
    RC_ASSERT(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) RC_ASSERT(a[i].id == b[i].id && a[i].mask == b[i].mask);
}

TEST(Properties, NoCpuTwiceNoneBelowItsLeastAndBalancedWithinAJob) {
    EXPECT_TRUE(holds("masks", [] {
        Node node(any_machine());
        for (uint64_t job = 1; job <= 5; ++job) {
            const Clients before = node.clients;
            Arrival arrival = any_arrival(job, node.topology, 4);
            if (arrival.granted) arrival.granted = any_grant(node.topology);  // also parts of cores
            if (once_in(3) && !node.clients.empty()) {
                node.end(node.clients[any_of(0, static_cast<uint32_t>(before.size()) - 1)].job);
            } else if (node.arrive(arrival) != DROM_OK) {
                check_same_masks(before, node.clients);
                RC_ASSERT(std::string(node.error.text).find("job " + std::to_string(job)) == 0);
            }
            check_masks(node);
            for (const uint64_t there : jobs_of(node.clients)) check_balance(node.clients, there);
        }
    }));
}

TEST(Properties, ArrivalsTakeOnlyWhatTheNewcomerGets) {
    EXPECT_TRUE(holds("arrivals", [] {
        Node node = any_node(any_machine(), any_of(0, 4), 4);
        const Clients before = node.clients;
        const Arrival arrival = any_arrival(9, node.topology, 4);
        RC_PRE(node.arrive(arrival) == DROM_OK);
        const CpuSet got = cpus_of(node.clients, 9);
        const CpuSet may_go = arrival.granted ? *arrival.granted : whole_cores(node.topology, got);
        RC_ASSERT(may_go.contains(got));
        for (const uint64_t job : jobs_of(before)) {
            const CpuSet had = cpus_of(before, job);
            const CpuSet has = cpus_of(node.clients, job);
            RC_ASSERT(had.contains(has) && may_go.contains(had - has));
            if (!(had == has)) continue;
            for (const Client& client : before)
                if (client.job == job) RC_ASSERT(find(node.clients, client.id)->mask == client.mask);
        }
        for (const Client& client : before)
            if (client.fixed) RC_ASSERT(find(node.clients, client.id)->mask == client.mask);
    }));
}

TEST(Properties, AGrantIsKeptToTheCpu) {
    int granted = 0;
    EXPECT_TRUE(holds("grants", [&granted] {
        Node node = any_node(any_machine(), any_of(0, 3), 3);
        Arrival arrival{tasks_of(9, any_of(1, 3)), any_grant(node.topology), 0.0};
        RC_PRE(node.arrive(arrival) == DROM_OK);
        RC_ASSERT(cpus_of(node.clients, 9) == *arrival.granted);
        ++granted;
    }));
    EXPECT_GT(granted, cases_a_property() / 10);
}

/// Has no grants, and gives whole cores from the start.
TEST(Properties, CoresAreNeverSplitBetweenJobs) {
    EXPECT_TRUE(holds("cores", [] {
        const Node node = any_node(any_machine(), 4, 3, false);
        std::map<uint16_t, std::set<uint64_t>> cores;
        for (const Client& client : node.clients)
            for (uint32_t cpu = client.mask.first(); cpu < kMaxCpus; cpu = client.mask.next(cpu + 1))
                cores[node.topology.location(cpu).core].insert(client.job);
        for (const auto& [core, jobs] : cores) RC_ASSERT(jobs.size() == 1U);
    }));
}

TEST(Properties, NoMoreThanTheSharingFactorIsElsewhere) {
    EXPECT_TRUE(holds("sharing factor", [] {
        Node node(any_machine());
        const double factor = *rc::gen::element(0.0, 0.25, 0.5, 0.75, 1.0);
        std::map<uint64_t, uint32_t> by_itself;
        for (uint64_t job = 1; job <= 4; ++job) {
            Arrival arrival = any_arrival(job, node.topology, 3);
            arrival.granted.reset();
            arrival.sharing_factor = factor;
            if (node.arrive(arrival) != DROM_OK) continue;
            for (const Client& client : node.clients)
                if (client.job == job) by_itself[job] += client.mask.count();
        }
        for (const auto& [job, count] : by_itself)
            RC_ASSERT(cpus_of(node.clients, job).count() + static_cast<uint32_t>(factor * count + 1e-9) >=
                      by_itself[job]);
    }));
}

TEST(Properties, ADepartureRightAfterAnArrivalRestoresExactly) {
    int restored = 0;
    EXPECT_TRUE(holds("there and back", [&restored] {
        Node node = any_node(any_machine(), any_of(0, 4), 4);
        const Clients before = node.clients;
        Arrival arrival = any_arrival(9, node.topology, 4);
        RC_PRE(node.arrive(arrival) == DROM_OK);
        RC_ASSERT(node.end(9) == DROM_OK);
        check_same_masks(before, node.clients);
        ++restored;
    }));
    EXPECT_GT(restored, cases_a_property() / 10);
}

TEST(Properties, GuestsThatLeaveInAnyOrderLeaveTheOwnersAsTheyWere) {
    EXPECT_TRUE(holds("any order", [] {
        Node node(any_machine());
        node.arrive({tasks_of(1, any_of(1, 4)), std::nullopt, 0.5});  // all CPUs: none was free when a guest came
        RC_PRE(!node.clients.empty());
        Arrival second = any_arrival(2, node.topology, 4);
        node.arrive(second);
        const Clients owners = node.clients;
        std::vector<uint64_t> guests;
        for (uint64_t job = 3; job <= 6; ++job) {
            Arrival arrival = any_arrival(job, node.topology, 3);
            if (node.arrive(arrival) == DROM_OK) guests.push_back(job);
        }
        while (!guests.empty()) {
            const uint32_t at = any_of(0, static_cast<uint32_t>(guests.size()) - 1);
            RC_ASSERT(node.end(guests[at]) == DROM_OK);
            guests.erase(guests.begin() + at);
            check_masks(node);
        }
        check_same_masks(owners, node.clients);
    }));
}

TEST(Properties, WhoStaysOnlyGainsAndNothingOfAnOwnerIsLost) {
    int owners = 0;
    EXPECT_TRUE(holds("departures", [&owners] {
        Node node = any_node(any_machine(), 4, 3, once_in(2));
        const Clients before = node.clients;
        const uint64_t ends = before[any_of(0, static_cast<uint32_t>(before.size()) - 1)].job;
        const CpuSet had = cpus_of(before, ends);
        bool lent = false;
        bool limits = false;
        for (const Client& client : before) {
            limits = limits || client.max_cpus != 0 || client.fixed;
            for (const Client& other : before)
                lent = lent || (client.job == ends && other.job != ends && client.home.intersects(other.mask));
        }
        RC_ASSERT(node.end(ends) == DROM_OK);
        check_masks(node);
        CpuSet all{};
        for (const uint64_t job : jobs_of(node.clients)) {
            RC_ASSERT(cpus_of(node.clients, job).contains(cpus_of(before, job)));
            all = all | cpus_of(node.clients, job);
            if (cpus_of(node.clients, job) == cpus_of(before, job)) continue;
            check_balance(node.clients, job);
        }
        owners += lent ? 1 : 0;
        if (!lent || limits) return;
        RC_ASSERT(all.contains(had));
    }));
    EXPECT_GT(owners, cases_a_property() / 10);
}

TEST(Properties, WhatTasksLeaveGoesToTheLastOwnerThatIsLeft) {
    int returned = 0;
    EXPECT_TRUE(holds("homes", [&returned] {
        const Topology machine = synthetic_machine();
        Node node(machine);
        for (uint64_t job = 1; job <= 4; ++job) {
            Arrival arrival = any_arrival(job, machine, 3);
            for (Client& task : arrival.tasks) task.max_cpus = 0;
            node.arrive(arrival);
        }
        if (node.clients.empty()) node.arrive(8, 1);
        const Clients before = node.clients;
        const std::vector<uint32_t> leaving = any_tasks_of(before);
        RC_ASSERT(node.depart(leaving) == DROM_OK);
        for (const Client& leaver : before) {
            if (find(node.clients, leaver.id) != nullptr) continue;
            for (uint32_t cpu = leaver.mask.first(); cpu < kMaxCpus; cpu = leaver.mask.next(cpu + 1)) {
                const Client* owner = nullptr;
                for (const Client& client : before)
                    if (client.home.has(cpu) && find(node.clients, client.id) != nullptr) owner = &client;
                if (owner == nullptr) continue;
                ++returned;
                RC_ASSERT(cpus_of(node.clients, owner->job).has(cpu));
            }
        }
    }));
    EXPECT_GT(returned, cases_a_property() / 10);
}

TEST(Properties, TasksThatEndOneByOneLoseNoCpu) {
    EXPECT_TRUE(holds("tasks", [] {
        Node node(any_machine());
        node.arrive({tasks_of(1, any_of(2, 5)), std::nullopt, 0.5});
        RC_PRE(!node.clients.empty());
        const CpuSet all = cpus_of(node.clients, 1);
        const bool guest = node.arrive({tasks_of(2, any_of(1, 3)), std::nullopt, 0.5}) == DROM_OK;
        while (node.clients.size() > 1) {
            const uint32_t at = any_of(0, static_cast<uint32_t>(node.clients.size()) - 1);
            RC_ASSERT(node.depart({node.clients[at].id}) == DROM_OK);
            check_masks(node);
            for (const uint64_t job : jobs_of(node.clients)) check_balance(node.clients, job);
            const bool owner_stays = jobs_of(node.clients).contains(1);
            if (owner_stays || guest)
                RC_ASSERT((cpus_of(node.clients, 1) | cpus_of(node.clients, 2)).count() == all.count());
        }
    }));
}

/// Checks the choice against each free package, NUMA node or L3 that is large enough: with none of them would fewer
/// jobs share domains.
TEST(Properties, JobsAreApartWheneverThatIsPossible) {
    int apart = 0;
    EXPECT_TRUE(holds("apart", [&apart] {
        Node node = any_node(any_machine(), any_of(1, 3), 2, false);
        const Topology& topology = node.topology;
        const Clients before = node.clients;
        Arrival arrival{tasks_of(9, any_of(1, 2)), std::nullopt, 1.0};
        RC_PRE(node.arrive(arrival) == DROM_OK);
        const auto jobs = static_cast<uint32_t>(jobs_of(before).size()) + 1;
        const uint32_t fair = (topology.cpus.count() + jobs - 1) / jobs;
        const auto who = [](const Clients& clients) {
            Jobs all;
            for (const Client& client : clients)
                for (uint32_t cpu = client.mask.first(); cpu < kMaxCpus; cpu = client.mask.next(cpu + 1))
                    all[cpu] = client.job;
            return all;
        };
        const Jobs now = who(before);
        const Levels found = domain_counts(topology, who(node.clients)).strangers;
        const uint16_t Location::* levels[] = {&Location::package, &Location::numa, &Location::l3};
        for (const auto level : levels) {
            std::map<uint16_t, CpuSet> domains;
            for (const uint16_t cpu : topology.order) domains[topology.location(cpu).*level].add(cpu);
            for (const auto& [number, domain] : domains) {
                // The domain is a choice if all of it is free and it is large enough.
                Jobs with = now;
                bool free = domain.count() >= arrival.tasks.size() && domain.count() >= fair;
                for (uint32_t cpu = domain.first(); cpu < kMaxCpus; cpu = domain.next(cpu + 1)) {
                    free = free && !now.contains(cpu);
                    with[cpu] = 9;
                }
                if (!free) continue;
                ++apart;
                RC_ASSERT(found <= domain_counts(topology, with).strangers);
            }
        }
    }));
    EXPECT_GT(apart, cases_a_property() / 100);
}

TEST(Properties, TheSameQuestionHasTheSameAnswer) {
    EXPECT_TRUE(holds("deterministic", [] {
        Node node = any_node(any_machine(), any_of(0, 3), 4);
        Node other(node.topology);
        other.clients = node.clients;
        const Arrival arrival = any_arrival(9, node.topology, 4);
        RC_ASSERT(node.arrive(arrival) == other.arrive(arrival));
        check_same_masks(node.clients, other.clients);
    }));
}

}  // namespace
