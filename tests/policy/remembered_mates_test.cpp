// SPDX-License-Identifier: BSD-3-Clause
// remembered_mates_test.cpp - a remembered answer against a search made now.
#include "policy/sharing/remembered_mates.hpp"

#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

bool same(const Mate& a, const Mate& b) {
    return a.slot == b.slot && a.id == b.id && a.nodes == b.nodes && a.slowdown == b.slowdown && a.end == b.end;
}

bool same(const Consideration& a, const Consideration& b) {
    const auto equal = [](const Mate& x, const Mate& y) { return same(x, y); };
    return a.refusal == b.refusal && a.mates.cores == b.mates.cores && a.mates.free_nodes == b.mates.free_nodes &&
           a.mates.index == b.mates.index && a.mates.guest_end == b.mates.guest_end && a.mates.on == b.mates.on &&
           std::equal(a.mates.mates.begin(), a.mates.mates.end(), b.mates.mates.begin(), b.mates.mates.end(), equal);
}

SlowdownRules random_rules() {
    SlowdownRules rules;
    rules.gain = *rc::gen::element(0.0, 1.0, 100.0);
    rules.sharing.parts = *rc::gen::arbitrary<bool>();
    rules.sharing.add_free_nodes = *rc::gen::arbitrary<bool>();
    rules.sharing.jobs_per_node = *rc::gen::weightedElement<int>({{3, 2}, {1, 3}});
    return rules;
}

/// Returns a job with one of few demands, so that jobs are alike; a seldom one wants nodes of a kind.
Job one_of_few(JobId id, Seconds now, int max_nodes) {
    Job job = random_job(id, now, max_nodes);
    job.request = *rc::gen::element<Seconds>(1, 10, 60);
    job.nodes = std::min(max_nodes, *rc::gen::element(1, 2, 5));
    job.filter.contiguous = *rc::gen::weightedElement<bool>({{1, true}, {6, false}});
    job.filter.memory_mb = *rc::gen::weightedElement<std::int64_t>({{1, 100}, {6, 0}});
    job.filter.features = *rc::gen::weightedElement<std::uint64_t>({{1, 1}, {6, 0}});
    return job;
}

/// Starts `job` as decided, lets a running one end, or lets time pass.
void go_on(Cluster& cluster, const Job& job, const Consideration& decided, Seconds& now) {
    const std::vector<int> slots = slots_of(cluster);
    switch (*rc::gen::inRange(0, 8)) {
        case 0: now += *rc::gen::inRange<Seconds>(0, 30); break;
        case 1: cluster.correct_predictions(now); break;
        case 2:
            if (!slots.empty()) cluster.finish(*rc::gen::elementOf(slots), now);
            break;
        case 3:
            if (decided.refusal == Refusal::kNone) start_shared(cluster, job, decided.mates, now);
            break;
        case 4:
            if (const NodeSet nodes = cluster.pick(job); !nodes.empty()) cluster.start(job, nodes, now);
            break;
        default: break;
    }
}

TEST(RememberedMates, NeverChangeADecision) {
    int shared = 0, refused = 0;
    EXPECT_TRUE(holds("the decision of a new search", [&] {
        const SlowdownRules rules = random_rules();
        Seconds now = 0;
        Cluster cluster =
            random_cluster(Machine::uniform(*rc::gen::inRange(2, 14), *rc::gen::inRange(2, 9)), rules.sharing, now, 15);
        RememberedMates remembered;
        for (JobId id = 100; id < 130; ++id) {
            const Job job = one_of_few(id, now, cluster.machine().nodes);
            const double limit = *rc::gen::weightedElement<double>({{1, 3.0}, {4, 1e9}});
            const Seconds start = now + *rc::gen::inRange<Seconds>(0, 2000);
            const Availability map(cluster, now, 1);
            const auto ours = consider(cluster, map, job, start, limit, rules, now, remembered);
            const auto anew = consider(cluster, map, job, start, limit, rules, now);
            RC_ASSERT(same(ours, anew));
            shared += ours.refusal == Refusal::kNone ? 1 : 0;
            refused += ours.refusal == Refusal::kHarm ? 1 : 0;
            go_on(cluster, job, ours, now);
        }
    }));
    EXPECT_GT(shared, cases_a_property()) << "hardly any job could share";
    EXPECT_GT(refused, cases_a_property() / 20) << "hardly any job was refused for harm";
}

TEST(RememberedMates, JobsThatAreAlikeCostOneSearchUntilSomethingChanges) {
    Cluster cluster(Machine::uniform(10, 4));
    Job job;
    job.request = 1000;
    job.nodes = 10;
    const int slot = cluster.start(job, NodeSet(0, 10), 0);
    const Availability map(cluster, 0, 1);
    RememberedMates remembered;
    SlowdownRules rules;
    rules.gain = 1e6;
    const auto searches_after = [&](JobId id, Seconds request, Seconds now) {
        job.id = id;
        job.request = request;
        consider(cluster, map, job, 1000, 1e9, rules, now, remembered);
        return remembered.searches();
    };
    EXPECT_EQ(searches_after(1, 100, 0), 1U);
    EXPECT_EQ(searches_after(2, 100, 0), 1U);
    EXPECT_EQ(searches_after(3, 90, 0), 2U);
    EXPECT_EQ(searches_after(4, 100, 5), 3U);
    cluster.finish(slot, 5);
    EXPECT_EQ(searches_after(5, 100, 5), 4U);
}

}  // namespace
