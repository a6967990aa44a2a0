// SPDX-License-Identifier: BSD-3-Clause
// mates_test.cpp - the search for mates against a search that tries all subsets.
#include "policy/sharing/mates.hpp"

#include <set>

#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

/// Returns the best mates. Tries every subset of the running jobs with every number of lent cores.
std::optional<MateSet> try_all_subsets(const Cluster& cluster, const Availability& map, const Job& job, double limit,
                                       const SharingRules& rules, Seconds now) {
    std::optional<MateSet> best;
    const int all = cluster.machine().cores_per_node;
    std::set<int, std::greater<>> loans;
    for (const int slot : slots_of(cluster)) {
        if (cluster.running(slot).job.kind != Kind::kMalleable || cluster.running(slot).job.nodes > job.nodes) continue;
        const int cores = can_lend(cluster.lender(slot), rules);
        if (cores > 0 && as_mate(cluster, cluster.lender(slot), job, cores, limit, rules, now)) loans.insert(cores);
    }
    for (const int cores : loans) {
        if (cores < std::max(1, job.min_cores)) continue;
        std::vector<Mate> mates;
        for (const int slot : slots_of(cluster))
            if (cluster.running(slot).job.kind == Kind::kMalleable)
                if (const auto mate = as_mate(cluster, cluster.lender(slot), job, cores, limit, rules, now))
                    mates.push_back(*mate);
        const Seconds end = now + seconds_for(job.request * all, cores);
        const int spare = rules.add_free_nodes && !job.filter.contiguous ? map.min_free(job.filter, now, end) : 0;
        for (unsigned subset = 1; subset < 1U << mates.size(); ++subset) {
            int nodes = 0, count = 0;
            double index = 0;
            NodeSet together;
            for (std::size_t i = 0; i < mates.size(); ++i) {
                if ((subset >> i & 1) == 0) continue;
                nodes += mates[i].nodes;
                index += mates[i].slowdown;
                together.insert(cluster.nodes_of(mates[i].slot));
                ++count;
            }
            if (count > rules.max_mates || nodes > job.nodes || job.nodes - nodes > spare) continue;
            if (together.count() != nodes || (job.filter.contiguous && !together.contiguous())) continue;
            if (!best || index < best->index - 1e-9) best = MateSet{{}, cores, job.nodes - nodes, index, end};
        }
    }
    return best;
}

TEST(Mates, AreThoseThatTryingAllSubsetsFinds) {
    int found_some = 0;
    EXPECT_TRUE(holds("the least PI", [&found_some] {
        SharingRules rules;
        rules.max_mates = *rc::gen::inRange(1, 5);
        rules.jobs_per_node = *rc::gen::weightedElement<int>({{3, 2}, {1, 3}});
        rules.add_free_nodes = *rc::gen::arbitrary<bool>();
        rules.sharing_factor = *rc::gen::element(0.25, 0.5, 0.75);
        Seconds now = 0;
        const Cluster cluster =
            random_cluster(Machine::uniform(*rc::gen::inRange(2, 14), *rc::gen::inRange(2, 9)), rules, now, 18);
        RC_PRE(slots_of(cluster).size() <= 12U);
        Job job = random_job(1000, now, cluster.machine().nodes);
        job.request = *rc::gen::inRange<Seconds>(1, 150);
        job.filter.contiguous = *rc::gen::weightedElement<bool>({{1, true}, {3, false}});
        const double limit = *rc::gen::element(1.5, 3.0, 1e9);
        const Availability map(cluster, now, 1);
        const auto found = choose_mates(cluster, map, job, limit, rules, now);
        const auto best = try_all_subsets(cluster, map, job, limit, rules, now);
        found_some += best.has_value() ? 1 : 0;
        RC_ASSERT(found.has_value() == best.has_value());
        if (!found) return;
        RC_ASSERT(found->index < best->index + 1e-9);
        int nodes = found->free_nodes;
        for (const Mate& mate : found->mates) nodes += mate.nodes;
        RC_ASSERT(nodes == job.nodes);
        for (const Mate& mate : found->mates) RC_ASSERT(mate.slowdown < limit && mate.end >= found->guest_end);
    }));
    EXPECT_GT(found_some, drom::test::cases_a_property() / 100) << "hardly any case had mates to find";
}

/// Returns how much the slowdowns of `mates` rise together.
double harm_of(const Cluster& cluster, const std::vector<Mate>& mates) {
    double sum = 0;
    for (const Mate& mate : mates)
        sum += mate.slowdown - slowdown(cluster.running(mate.slot).job, cluster.running(mate.slot).end);
    return sum;
}

TEST(Mates, PartsAreNodesOfMatesThatNoOtherJobSharesAndNoMateIsSuperfluous) {
    int found_some = 0;
    EXPECT_TRUE(holds("parts", [&found_some] {
        SharingRules rules;
        rules.parts = true;
        rules.add_free_nodes = *rc::gen::arbitrary<bool>();
        rules.sharing_factor = *rc::gen::element(0.25, 0.5, 0.75);
        Seconds now = 0;
        const Cluster cluster =
            random_cluster(Machine::uniform(*rc::gen::inRange(2, 14), *rc::gen::inRange(2, 9)), rules, now, 25);
        Job job = random_job(1000, now, cluster.machine().nodes);
        job.request = *rc::gen::inRange<Seconds>(1, 150);
        const double limit = *rc::gen::element(1.5, 3.0, 1e9);
        const Availability map(cluster, now, 1);
        const auto found = choose_mates(cluster, map, job, limit, rules, now);
        std::vector<Mate> all;
        int lent = 0;
        const int cores = static_cast<int>(rules.sharing_factor * cluster.machine().cores_per_node);
        for (const int slot : slots_of(cluster)) {
            if (cores < job.min_cores || cluster.running(slot).job.kind != Kind::kMalleable) continue;
            const auto mate = as_mate_in_part(cluster, cluster.lender(slot), job, cores, limit, rules, now);
            if (!mate) continue;
            all.push_back(*mate);
            lent += mate->nodes;
        }
        if (!found) {
            const Seconds end = now + seconds_for(job.request * cluster.machine().cores_per_node, std::max(1, cores));
            const int spare = rules.add_free_nodes ? map.min_free(job.filter, now, end) : 0;
            RC_ASSERT(all.empty() || lent + std::min(spare, job.nodes - 1) < job.nodes);
            return;
        }
        ++found_some;
        RC_ASSERT(found->on.count() + found->free_nodes == job.nodes);
        NodeSet nodes = found->on;
        int given = 0;
        for (const Mate& mate : found->mates) {
            RC_ASSERT(mate.slowdown < limit && mate.end >= found->guest_end && mate.nodes > 0);
            given += mate.nodes;
            for (const int piece : cluster.running(mate.slot).pieces)
                if (cluster.piece(piece).occupants.size() == 1) nodes.erase(cluster.piece(piece).nodes);
        }
        RC_ASSERT(nodes.empty());
        RC_ASSERT(given == found->on.count());
        for (const Mate& alone : all)
            if (alone.nodes >= job.nodes) RC_ASSERT(harm_of(cluster, found->mates) <= harm_of(cluster, {alone}) + 1e-9);
    }));
    EXPECT_GT(found_some, drom::test::cases_a_property() / 100) << "hardly any case had mates to find";
}

Cluster with_jobs(const std::vector<std::pair<int, Seconds>>& nodes_and_requests, int cores = 16) {
    Cluster cluster(Machine::uniform(32, cores));
    JobId id = 0;
    for (const auto& [nodes, request] : nodes_and_requests) {
        Job job;
        job.id = ++id;
        job.nodes = nodes;
        job.request = request;
        cluster.start(job, cluster.pick(job), 0);
    }
    return cluster;
}

std::string ids(const std::optional<MateSet>& chosen) {
    if (!chosen) return "none";
    std::string text;
    for (const Mate& mate : chosen->mates) text += (text.empty() ? "" : ",") + std::to_string(mate.id);
    return text;
}

struct Row {
    const char* what;
    std::vector<std::pair<int, Seconds>> running;  // nodes, request
    int nodes;
    Seconds request;
    double limit;
    int most;
    const char* mates;
};

TEST(Mates, AreChosenByTheThesissRules) {
    const Row rows[] = {
        {"one that fits", {{4, 1000}}, 4, 100, 1e9, 2, "1"},
        {"two that add up", {{4, 1000}, {2, 1000}}, 6, 100, 1e9, 2, "1,2"},
        {"never fewer nodes than asked for", {{4, 1000}}, 5, 100, 1e9, 2, "none"},
        {"never more", {{4, 1000}}, 3, 100, 1e9, 2, "none"},
        {"at most m", {{2, 1000}, {2, 1000}, {2, 1000}}, 6, 100, 1e9, 2, "none"},
        {"three with m = 3", {{2, 1000}, {2, 1000}, {2, 1000}}, 6, 100, 1e9, 3, "1,2,3"},
        {"the least slowed down", {{4, 500}, {4, 1000}}, 4, 100, 1e9, 2, "2"},
        {"one rather than two", {{4, 1000}, {2, 1000}, {2, 1000}}, 4, 100, 1e9, 2, "1"},
        {"equal ones: the lower ids", {{2, 1000}, {2, 1000}, {2, 1000}}, 4, 100, 1e9, 2, "1,2"},
        {"only those that end later than the guest", {{4, 199}}, 4, 200, 1e9, 2, "none"},
        {"just so", {{4, 200}}, 4, 200, 1e9, 2, "1"},
        {"no mate beyond the limit", {{4, 1000}}, 4, 100, 1.1, 2, "none"},  // (1000 + 100) / 1000 is not below it
        {"below the limit", {{4, 1001}}, 4, 100, 1.1, 2, "1"},
    };
    for (const Row& row : rows) {
        const Cluster cluster = with_jobs(row.running);
        Job job;
        job.id = 99;
        job.nodes = row.nodes;
        job.request = row.request;
        SharingRules rules;
        rules.max_mates = row.most;
        EXPECT_EQ(ids(choose_mates(cluster, Availability(cluster, 0, 1), job, row.limit, rules, 0)), row.mates)
            << row.what;
    }
}

TEST(Mates, LendInPartWhereTheRulesSaySo) {
    const Row rows[] = {
        {"more nodes than asked for", {{4, 1000}}, 3, 100, 1e9, 2, "1"},
        {"fewer nodes than asked for", {{4, 1000}}, 5, 100, 1e9, 2, "none"},
        {"as many mates as it takes", {{2, 1000}, {2, 1000}, {2, 1000}}, 5, 100, 1e9, 2, "1,2,3"},
        {"one rather than two", {{4, 1000}, {2, 1000}, {2, 1000}}, 4, 100, 1e9, 2, "1"},
        {"the least slowed down", {{4, 500}, {8, 1000}}, 4, 100, 1e9, 2, "2"},
        {"a small one rather than a wide one that loses more", {{30, 250}, {2, 1000}}, 2, 100, 1e9, 2, "2"},
        {"only those that end later than the guest", {{4, 199}}, 4, 200, 1e9, 2, "none"},
        {"no mate beyond the limit", {{4, 1000}}, 3, 100, 1.1, 2, "none"},
    };
    for (const Row& row : rows) {
        const Cluster cluster = with_jobs(row.running);
        Job job;
        job.id = 99;
        job.nodes = row.nodes;
        job.request = row.request;
        SharingRules rules;
        rules.parts = true;
        EXPECT_EQ(ids(choose_mates(cluster, Availability(cluster, 0, 1), job, row.limit, rules, 0)), row.mates)
            << row.what;
    }
}

TEST(Mates, KeepACoreARank) {
    Cluster cluster(Machine::uniform(4, 16));
    Job mate;
    mate.id = 1;
    mate.nodes = 4;
    mate.request = 1000;
    mate.min_cores = 12;
    const int slot = cluster.start(mate, cluster.pick(mate), 0);
    EXPECT_EQ(can_lend(cluster.lender(slot), {}), 4);
    Job guest = mate;
    guest.id = 2;
    guest.request = 10;
    guest.min_cores = 5;
    const Availability map(cluster, 0, 1);
    EXPECT_EQ(ids(choose_mates(cluster, map, guest, 1e9, {}, 0)), "none");
    guest.min_cores = 4;
    EXPECT_EQ(ids(choose_mates(cluster, map, guest, 1e9, {}, 0)), "1");
}

TEST(Mates, WhoSharesAlreadyIsNoCandidateUnlessMoreJobsMayBeOnANode) {
    Cluster cluster = with_jobs({{4, 10000}});
    Job guest;
    guest.id = 50;
    guest.nodes = 4;
    guest.request = 1000;
    cluster.share(guest, {{0}, 8, {}}, 0);
    Job next = guest;
    next.id = 51;
    next.request = 10;
    const Availability map(cluster, 0, 1);
    EXPECT_EQ(ids(choose_mates(cluster, map, next, 1e9, {}, 0)), "none");
    SharingRules three;
    three.jobs_per_node = 3;
    EXPECT_NE(ids(choose_mates(cluster, map, next, 1e9, three, 0)), "none");
}

TEST(Mates, MemoryThatIsTakenIsNotThereForAGuest) {
    Machine machine = Machine::uniform(4, 16);
    machine.classes.front().memory_mb = 100;
    Cluster cluster(machine);
    Job mate;
    mate.id = 1;
    mate.nodes = 4;
    mate.request = 1000;
    mate.filter.memory_mb = 60;
    cluster.start(mate, cluster.pick(mate), 0);
    Job guest = mate;
    guest.id = 2;
    guest.request = 10;
    const Availability map(cluster, 0, 1);
    guest.filter.memory_mb = 41;
    EXPECT_EQ(ids(choose_mates(cluster, map, guest, 1e9, {}, 0)), "none");
    guest.filter.memory_mb = 40;
    EXPECT_EQ(ids(choose_mates(cluster, map, guest, 1e9, {}, 0)), "1");
}

}  // namespace
