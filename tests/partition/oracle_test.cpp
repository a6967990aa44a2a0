// SPDX-License-Identifier: BSD-3-Clause
// oracle_test.cpp - decisions on machines of at most 8 CPUs beside the best of all that are possible.
#include <algorithm>
#include <bit>
#include <iostream>
#include <numeric>

#include "objective.hpp"
#include "partition/distribution.hpp"
#include "random_node.hpp"

namespace {

using namespace drom;
using namespace drom::test;
using partition::Arrival;
using partition::Client;
using partition::Clients;

std::vector<std::vector<uint32_t>> cores_of(const Topology& topology) {
    std::map<uint16_t, std::vector<uint32_t>> cores;
    for (const uint16_t cpu : topology.order) cores[topology.location(cpu).core].push_back(cpu);
    std::vector<std::vector<uint32_t>> list;
    for (const auto& [core, cpus] : cores) list.push_back(cpus);
    return list;
}

Jobs jobs_of(const Clients& clients) {
    Jobs jobs;
    for (const Client& client : clients)
        for (uint32_t cpu = client.mask.first(); cpu < kMaxCpus; cpu = client.mask.next(cpu + 1))
            jobs[cpu] = client.job;
    return jobs;
}

uint32_t floor_of(const Client& client) { return std::max({1U, client.ranks, client.min_cpus}); }

std::vector<int64_t> shares_of(const std::map<uint64_t, int64_t>& sizes) {
    std::vector<int64_t> shares;
    for (const auto& [job, size] : sizes) shares.push_back(size);
    std::sort(shares.begin(), shares.end());
    for (int64_t& share : shares) share = -share;
    return shares;
}

/// Applies the rules for an arrival without a grant to each set of CPUs that the newcomer could get.
class Arrivals {
public:
    Arrivals(const Node& node, const Arrival& arrival)
        : node_(node), arrival_(arrival), before_(jobs_of(node.clients)) {
        for (const Client& task : arrival.tasks) {
            min_cpus_ += floor_of(task);
            useful_ += task.max_cpus == 0 ? 1000 : std::max(task.max_cpus, floor_of(task));
        }
        for (const auto& core : cores_of(node.topology)) smt_ = std::max(smt_, static_cast<uint32_t>(core.size()));
        for (const auto& [cpu, job] : before_) ++sizes_[job];
        count_losses();
    }

    std::optional<Objective> best() const {
        const auto cores = cores_of(node_.topology);
        std::optional<Objective> best;
        for (uint32_t subset = 0; subset < 1U << cores.size(); ++subset) {
            CpuSet taken{};
            for (size_t core = 0; core < cores.size(); ++core)
                if ((subset >> core & 1) != 0)
                    for (const uint32_t cpu : cores[core]) taken.add(cpu);
            if (!allowed(taken)) continue;
            const Objective objective = of(taken);
            if (!best || objective < *best) best = objective;
        }
        return best;
    }

    Objective of(const CpuSet& taken) const {
        Jobs after = before_;
        std::map<uint64_t, int64_t> sizes;
        for (const Client& client : node_.clients) sizes[client.job] = 0;
        Objective objective;
        for (uint32_t cpu = taken.first(); cpu < kMaxCpus; cpu = taken.next(cpu + 1)) {
            after[cpu] = newcomer();
        }
        for (const auto& [cpu, job] : after) ++sizes[job];
        objective.waste = std::max<int64_t>(0, sizes[newcomer()] - useful_);
        sizes[newcomer()] = std::min<int64_t>(sizes[newcomer()], useful_);
        const DomainCounts there = domain_counts(node_.topology, after);
        objective.strangers = there.strangers;
        objective.together = there.together;
        objective.shares = shares_of(sizes);
        return objective;
    }

    bool allowed(const CpuSet& taken) const {
        const uint32_t count = taken.count();
        if (count < min_cpus_ || count > useful_ + smt_ - 1) return false;
        std::map<uint64_t, uint32_t> lost;
        uint32_t together = 0;
        for (const Client& client : node_.clients) {
            const uint32_t loses = (client.mask & taken).count();
            if (client.fixed && loses > 0) return false;
            lost[client.job] += loses;
            together += loses;
        }
        for (const auto& [job, loses] : lost)
            if (loses > may_lose_.at(job)) return false;
        return together <= max_lost_;
    }

private:
    uint64_t newcomer() const { return arrival_.tasks.front().job; }

    /// Counts how many CPUs each job may lose. The sharing factor applies to the CPUs that a job would have by itself.
    /// No task goes below its minimum. No job loses more CPUs than the newcomer lacks to an equal share.
    void count_losses() {
        std::map<uint64_t, uint32_t> floors;
        std::map<uint64_t, uint32_t> movable;
        std::map<uint64_t, CpuSet> all;
        for (const Client& client : node_.clients) {
            floors[client.job] += client.fixed ? 0 : floor_of(client);
            movable[client.job] += client.fixed ? 0 : client.mask.count();
            all[client.job] = all[client.job] | client.mask | client.home;
        }
        for (const auto& [job, by_itself] : all) {
            const int64_t lent = by_itself.count() - sizes_.at(job);
            const auto limit = static_cast<int64_t>(arrival_.sharing_factor * by_itself.count() + 1e-9) - lent;
            const int64_t spare = std::max<int64_t>(0, int64_t{movable[job]} - floors[job]);
            may_lose_[job] = static_cast<uint32_t>(std::clamp<int64_t>(limit, 0, spare));
        }
        uint32_t free = 0;
        for (const auto& core : cores_of(node_.topology))
            if (std::none_of(core.begin(), core.end(), [&](uint32_t cpu) { return before_.contains(cpu); }))
                free += static_cast<uint32_t>(core.size());
        const auto jobs = static_cast<uint32_t>(all.size()) + 1;
        const uint32_t fair = (node_.topology.cpus.count() + jobs - 1) / jobs;
        const uint32_t wanted = std::min(std::max(fair, min_cpus_), useful_);
        max_lost_ = wanted > free ? wanted - free + smt_ - 1 : 0;
    }

    const Node& node_;
    const Arrival& arrival_;
    Jobs before_;
    std::map<uint64_t, int64_t> sizes_;
    std::map<uint64_t, uint32_t> may_lose_;
    uint32_t min_cpus_ = 0, useful_ = 0, smt_ = 1, max_lost_ = 0;
};

/// Counts how often an answer was the best of all that are possible, and prints the share.
class Best {
public:
    explicit Best(const char* what) : what_(what) {}
    void count(bool best) {
        ++asked_;
        best_ += best ? 1 : 0;
    }
    [[nodiscard]] double share() const { return asked_ == 0 ? 0 : 1.0 * best_ / asked_; }
    ~Best() { std::cout << "  " << what_ << ": " << best_ << " of " << asked_ << " answers are the best\n"; }

private:
    const char* what_;
    int asked_ = 0, best_ = 0;
};

TEST(Oracle, AnArrivalIsAllowedAndSeldomNotTheBest) {
    int refused = 0, shared = 0;
    Best found("arrivals");
    EXPECT_TRUE(holds("all sets of cores", [&] {
        Node node = any_node(small_machine(), any_of(0, 3), 3);
        Arrival arrival = any_arrival(9, node.topology, 3);
        arrival.granted.reset();
        const Node before = node;
        const Arrivals all(before, arrival);
        const auto best = all.best();
        const int status = node.arrive(arrival);
        RC_ASSERT(status == DROM_OK || status == DROM_E_NOCPU);
        refused += best ? 0 : 1;
        if (!best) RC_ASSERT(status == DROM_E_NOCPU);
        if (best && status != DROM_OK) found.count(false);
        if (status != DROM_OK) return;
        const CpuSet taken = whole_cores(node.topology, cpus_of(node.clients, 9));
        shared += best->strangers[2] > 0 ? 1 : 0;
        RC_ASSERT(all.allowed(taken));
        found.count(all.of(taken) == *best);
    }));
    EXPECT_GT(found.share(), 0.95);
    // Without enough such cases the property says little.
    EXPECT_GT(refused, cases_a_property() / 100);
    EXPECT_GT(shared, cases_a_property() / 100);
}

/// Tries every way to give the CPUs of an ended job to the jobs that remain, core by core. CPUs that are home of
/// another job are not among them.
class Inheritances {
public:
    Inheritances(const Topology& topology, const Jobs& kept, const CpuSet& left) : topology_(topology), kept_(kept) {
        for (const auto& [cpu, job] : kept)
            if (std::find(jobs_.begin(), jobs_.end(), job) == jobs_.end()) jobs_.push_back(job);
        for (const auto& core : cores_of(topology)) {
            std::vector<uint32_t> part;
            for (const uint32_t cpu : core)
                if (left.has(cpu)) part.push_back(cpu);
            if (part.empty()) continue;
            parts_.push_back(part);
            heirs_.push_back(takers(core));
        }
    }

    Objective best() const {
        std::optional<Objective> best;
        Jobs jobs = kept_;
        give(0, jobs, best);
        return *best;
    }

    Objective of(const Jobs& jobs) const {
        std::map<uint64_t, int64_t> sizes;
        for (const auto& [cpu, job] : jobs) ++sizes[job];
        const DomainCounts there = domain_counts(topology_, jobs);
        return {-static_cast<int64_t>(jobs.size()), there.strangers, shares_of(sizes), there.together};
    }

private:
    /// Returns the jobs that may take the rest of a core: all jobs, or only the one that is on the core.
    std::vector<uint64_t> takers(const std::vector<uint32_t>& core) const {
        std::set<uint64_t> there;
        for (const uint32_t cpu : core)
            if (kept_.contains(cpu)) there.insert(kept_.at(cpu));
        if (there.empty()) return jobs_;
        return there.size() == 1 ? std::vector<uint64_t>{*there.begin()} : std::vector<uint64_t>{};
    }

    void give(size_t part, Jobs& jobs, std::optional<Objective>& best) const {
        if (part == parts_.size()) {
            const Objective objective = of(jobs);
            if (!best || objective < *best) best = objective;
            return;
        }
        for (const uint64_t taker : heirs_[part]) {
            for (const uint32_t cpu : parts_[part]) jobs[cpu] = taker;
            give(part + 1, jobs, best);
        }
        for (const uint32_t cpu : parts_[part]) jobs.erase(cpu);
        if (heirs_[part].empty()) give(part + 1, jobs, best);
    }

    const Topology& topology_;
    Jobs kept_;
    std::vector<uint64_t> jobs_;
    std::vector<std::vector<uint32_t>> parts_;
    std::vector<std::vector<uint64_t>> heirs_;
};

TEST(Oracle, WhatAnOwnerLeavesIsSeldomNotSpreadInTheBestOfAllWays) {
    int spread = 0;
    Best found("inheritances");
    EXPECT_TRUE(holds("all inheritances", [&] {
        Node node(small_machine());
        for (uint64_t job = 1; job <= 4; ++job) {
            Arrival arrival = any_arrival(job, node.topology, 2);
            for (Client& task : arrival.tasks) task.max_cpus = 0;  // every job can use all CPUs
            arrival.granted.reset();
            node.arrive(arrival);
        }
        RC_PRE(node.clients.size() > 1);
        const uint64_t owner = node.clients[any_of(0, static_cast<uint32_t>(node.clients.size()) - 1)].job;
        Jobs kept;
        CpuSet left{};
        bool lent = false;
        for (const auto& [cpu, job] : jobs_of(node.clients)) {
            uint64_t home = 0;
            bool was_home = false;
            for (const Client& client : node.clients) {
                if (!client.home.has(cpu)) continue;
                was_home = was_home || client.job == owner;
                if (client.job != owner) home = client.job;
            }
            if (job != owner) {
                kept[cpu] = job;
                lent = lent || was_home;
            } else if (home != 0) {
                kept[cpu] = home;
            } else {
                left.add(cpu);
            }
        }
        node.end(owner);
        RC_PRE(!node.clients.empty());
        const Jobs after = jobs_of(node.clients);
        if (!lent) {
            RC_ASSERT(after == kept);
            return;
        }
        spread += left.none() ? 0 : 1;
        const Inheritances all(node.topology, kept, left);
        found.count(all.of(after) == all.best());
    }));
    EXPECT_GT(found.share(), 0.95);
    EXPECT_GT(spread, cases_a_property() / 20);
}

/// The CPUs of each task, as bits: the machines have no CPU beyond 63.
using Masks = std::vector<uint64_t>;

/// Smaller is better. First the smallest tasks have as many CPUs as possible, then as few CPUs as possible are away
/// from home.
struct Distribution {
    std::vector<int64_t> counts;
    int64_t at_home = 0;
    friend auto operator<=>(const Distribution&, const Distribution&) = default;
};

Distribution distribution_of(const Masks& masks, const std::vector<partition::Task>& tasks) {
    Distribution distribution;
    for (size_t i = 0; i < tasks.size(); ++i) {
        distribution.counts.push_back(std::popcount(masks[i]));
        distribution.at_home -= std::popcount(masks[i] & tasks[i].home.words[0]);
    }
    std::sort(distribution.counts.begin(), distribution.counts.end());
    for (int64_t& count : distribution.counts) count = -count;
    return distribution;
}

bool within_limits(const Masks& masks, const std::vector<partition::Task>& tasks) {
    for (size_t i = 0; i < tasks.size(); ++i) {
        const auto has = static_cast<uint32_t>(std::popcount(masks[i]));
        if (has < tasks[i].min_cpus || has > tasks[i].max_cpus) return false;
    }
    return true;
}

/// Calls `each` with every way to give the CPUs to tasks, or to none.
template <class Each>
void every_division(const std::vector<uint32_t>& cpus, size_t at, Masks& masks, const Each& each) {
    if (at == cpus.size()) {
        each(masks);
        return;
    }
    every_division(cpus, at + 1, masks, each);
    for (uint64_t& mask : masks) {
        mask |= uint64_t{1} << cpus[at];
        every_division(cpus, at + 1, masks, each);
        mask &= ~(uint64_t{1} << cpus[at]);
    }
}

std::vector<partition::Task> any_tasks(uint32_t count, const CpuSet& cpus) {
    std::vector<partition::Task> tasks;
    CpuSet rest = cpus;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t min_cpus = any_of(1, 3);
        tasks.push_back(
            {any_subset(rest, any_of(1, 2)), 1, min_cpus, once_in(3) ? min_cpus + any_of(0, 3) : UINT32_MAX});
        rest = rest - tasks.back().home;
    }
    return tasks;
}

TEST(Oracle, ADivisionIsTheBestOfAllAssignments) {
    int away = 0;
    EXPECT_TRUE(holds("all assignments", [&] {
        const Topology machine = small_machine();
        const uint32_t count = any_of(1, 3);
        CpuSet pool = any_subset(machine.cpus, any_of(1, 2));
        while (count == 3 && pool.count() > 6) pool.remove(pool.last());
        std::vector<partition::Task> tasks = any_tasks(count, machine.cpus);
        uint32_t min_cpus = 0;
        for (const partition::Task& task : tasks) min_cpus += task.min_cpus;
        RC_PRE(min_cpus <= pool.count());
        std::vector<uint32_t> cpus;
        for (uint32_t cpu = pool.first(); cpu < kMaxCpus; cpu = pool.next(cpu + 1)) cpus.push_back(cpu);
        std::optional<Distribution> best;
        Masks none(count, 0);
        every_division(cpus, 0, none, [&](const Masks& masks) {
            if (!within_limits(masks, tasks)) return;
            const Distribution distribution = distribution_of(masks, tasks);
            if (!best || distribution < *best) best = distribution;
        });
        Masks found;
        uint64_t seen = 0;
        for (const CpuSet& mask : partition::distribute(machine, pool, tasks)) {
            RC_ASSERT(pool.contains(mask) && (mask.words[0] & seen) == 0);
            seen |= mask.words[0];
            found.push_back(mask.words[0]);
        }
        RC_ASSERT(within_limits(found, tasks));
        RC_ASSERT(distribution_of(found, tasks) == *best);
        away += best->at_home + static_cast<int64_t>(pool.count()) > 0 ? 1 : 0;
    }));
    EXPECT_GT(away, cases_a_property() / 20);
}

}  // namespace
