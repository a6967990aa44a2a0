// SPDX-License-Identifier: BSD-3-Clause
// cluster_test.cpp - lent cores return, no core is lost, and predicted ends are those of the thesis.
#include "policy/cluster/cluster.hpp"

#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;

Job job(JobId id, int nodes, Seconds request, Seconds submit = 0) {
    Job made;
    made.id = id;
    made.nodes = nodes;
    made.request = request;
    made.submit = submit;
    return made;
}

int start(Cluster& cluster, const Job& which, Seconds now) { return cluster.start(which, cluster.pick(which), now); }

int cores_on(const Cluster& cluster, int slot) { return cluster.cores_of(slot).front().cores; }

TEST(Cluster, AGuestOfHalfTheCoresTakesTwiceAsLongAndItsMateLosesWhatItAskedFor) {
    Cluster cluster(Machine::uniform(4, 16));
    const int mate = start(cluster, job(1, 4, 1000), 0);
    const int guest = cluster.share(job(2, 4, 300), {{mate}, 8, {}}, 100);
    EXPECT_EQ(cluster.running(guest).end, 100 + 600);
    EXPECT_EQ(cluster.running(mate).end, 1000 + 300);
}

TEST(Cluster, CoresReturnToWhoLentThemWhenTheGuestEndsEarly) {
    Cluster cluster(Machine::uniform(4, 16));
    const int mate = start(cluster, job(1, 4, 1000), 0);
    const int guest = cluster.share(job(2, 4, 300), {{mate}, 4, {}}, 100);
    cluster.finish(guest, 300);
    EXPECT_EQ(cores_on(cluster, mate), 16);
    EXPECT_EQ(cluster.running(mate).end, 1000 + 50);  // a quarter of 200 s is missing
    EXPECT_EQ(cluster.max_jobs_on_node(mate), 1);
}

TEST(Cluster, AGuestWhoseMateHasEndedGetsTheNodesWhole) {
    Cluster cluster(Machine::uniform(4, 16));
    const int mate = start(cluster, job(1, 4, 1000), 0);
    const int guest = cluster.share(job(2, 4, 300), {{mate}, 8, {}}, 0);
    cluster.finish(mate, 200);
    EXPECT_EQ(cores_on(cluster, guest), 16);
    EXPECT_EQ(cluster.running(guest).end, 200 + 200);
    EXPECT_EQ(cluster.free().count(), 0);
    cluster.finish(guest, 400);
    EXPECT_EQ(cluster.free().text(), "0-3");
}

TEST(Cluster, OneOfTwoMatesThatEndsLeavesTheWorstCaseAsItIs) {
    Cluster cluster(Machine::uniform(4, 16));
    const int a = start(cluster, job(1, 2, 1000), 0), b = start(cluster, job(2, 2, 1000), 0);
    const int guest = cluster.share(job(3, 4, 100), {{a, b}, 8, {}}, 0);
    cluster.finish(a, 50);
    EXPECT_EQ(cluster.running(guest).end, 200);
    EXPECT_EQ(cluster.running(b).end, 1100);
    const std::vector<Piece> cores = cluster.cores_of(guest);
    EXPECT_EQ(cores[0].cores + cores[1].cores, 16 + 8);
}

TEST(Cluster, FreeNodesOfAGuestAreItsOwn) {
    Cluster cluster(Machine::uniform(5, 16));
    const int mate = start(cluster, job(1, 3, 1000), 0);
    const int guest = cluster.share(job(2, 4, 100), {{mate}, 8, NodeSet(3, 1)}, 0);
    EXPECT_EQ(cluster.free().text(), "4");
    EXPECT_EQ(cluster.running(guest).end, 200);
    cluster.finish(guest, 150);
    EXPECT_EQ(cluster.free().text(), "3-4");
}

TEST(Cluster, AGuestOnSomeNodesOfAMateLeavesTheOthersAsTheyAre) {
    Cluster cluster(Machine::uniform(4, 16));
    const int mate = start(cluster, job(1, 4, 1000), 0);
    const int guest = cluster.share(job(2, 1, 300), {{mate}, 8, {}, NodeSet(2, 1)}, 100);
    EXPECT_EQ(cluster.nodes_of(guest).text(), "2");
    EXPECT_EQ(cluster.nodes_of(mate).text(), "0-3");
    ASSERT_EQ(cluster.cores_of(mate).size(), 2U);
    EXPECT_EQ(cluster.cores_of(mate)[0].nodes * cluster.cores_of(mate)[0].cores, 3 * 16);
    EXPECT_EQ(cluster.cores_of(mate)[1].cores, 8);
    EXPECT_EQ(cluster.running(guest).end, 100 + 600);
    EXPECT_EQ(cluster.running(mate).end, 1000 + 300) << "in the worst case one node holds up all";
    EXPECT_EQ(cluster.inconsistency(), "");
}

TEST(Cluster, ASecondGuestAtTheSameTimeCostsTheMateNothingMoreInTheWorstCase) {
    Cluster cluster(Machine::uniform(4, 16));
    const int mate = start(cluster, job(1, 4, 1000), 0);
    cluster.share(job(2, 1, 300), {{mate}, 8, {}, NodeSet(0, 1)}, 0);
    EXPECT_EQ(cluster.end_if_lending(mate, 8, 300 * 16, 2, 0), 1300);
    cluster.share(job(3, 2, 300), {{mate}, 8, {}, NodeSet(1, 2)}, 0);
    EXPECT_EQ(cluster.running(mate).end, 1300);
    EXPECT_EQ(cluster.inconsistency(), "");
}

TEST(Cluster, NodesAreOnePieceAgainWhenTheGuestsHaveGone) {
    Cluster cluster(Machine::uniform(4, 16));
    const int mate = start(cluster, job(1, 4, 1000), 0);
    const int a = cluster.share(job(2, 1, 300), {{mate}, 8, {}, NodeSet(0, 1)}, 0);
    const int b = cluster.share(job(3, 2, 300), {{mate}, 8, {}, NodeSet(1, 2)}, 0);
    cluster.finish(a, 100);
    EXPECT_EQ(cluster.running(mate).pieces.size(), 2U);
    cluster.finish(b, 200);
    EXPECT_EQ(cluster.running(mate).pieces.size(), 1U);
    EXPECT_EQ(cluster.running(mate).end, 1100);
    EXPECT_EQ(cluster.inconsistency(), "");
}

TEST(Cluster, PlainNodesAreGivenAwayFirst) {
    Machine machine = Machine::uniform(2, 16);
    machine.nodes = 4;
    machine.classes.push_back({NodeSet(2, 2), 0b1, 64000});
    Cluster cluster(machine);
    Job wants_feature = job(1, 1, 100);
    wants_feature.filter.features = 0b1;
    EXPECT_EQ(cluster.pick(wants_feature).text(), "2");
    EXPECT_EQ(cluster.pick(job(2, 3, 100)).text(), "0-2");
    wants_feature.filter.memory_mb = 64001;
    EXPECT_TRUE(cluster.pick(wants_feature).empty());
}

TEST(Cluster, NothingIsLostAndNoNodeIsOverFullWhateverComesAndGoes) {
    EXPECT_TRUE(holds("consistent", [] {
        SharingRules rules;
        rules.jobs_per_node = *rc::gen::inRange(2, 5);
        rules.max_mates = *rc::gen::inRange(1, 4);
        rules.add_free_nodes = *rc::gen::arbitrary<bool>();
        rules.parts = *rc::gen::arbitrary<bool>();
        Seconds now = 0;
        Cluster cluster = drom::test::random_cluster(
            Machine::uniform(*rc::gen::inRange(2, 20), *rc::gen::inRange(2, 9)), rules, now, 40);
        RC_ASSERT(cluster.inconsistency() == "");
        for (const int slot : drom::test::slots_of(cluster)) {
            RC_ASSERT(cluster.nodes_of(slot).count() == cluster.running(slot).job.nodes);
            for (const Piece& piece : cluster.cores_of(slot)) RC_ASSERT(piece.cores >= 1);
        }
        for (const int slot : drom::test::slots_of(cluster)) cluster.finish(slot, now);
        RC_ASSERT(cluster.free().count() == cluster.machine().nodes);
        RC_ASSERT(cluster.inconsistency() == "");
    }));
}

TEST(Cluster, ResizesAJobThatIsAlone) {
    Cluster cluster(Machine::uniform(8, 4));
    Job job;
    job.nodes = 4;
    job.request = 100;
    const int slot = cluster.start(job, cluster.pick(job), 0);
    cluster.resize(slot, 6, 10, 100);
    EXPECT_EQ(cluster.nodes_of(slot).text(), "0-5");
    EXPECT_EQ(cluster.running(slot).end, 100);
    cluster.resize(slot, 2, 20, 150);
    EXPECT_EQ(cluster.free().text(), "2-7");
    EXPECT_EQ(cluster.running(slot).end, 150);
    EXPECT_EQ(cluster.releases().front().at, 150);
    EXPECT_EQ(cluster.releases().front().nodes, 2);
    EXPECT_EQ(cluster.lender(slot).end, 150);
    cluster.finish(slot, 30);
    EXPECT_EQ(cluster.free().count(), 8);
}

TEST(Cluster, IsConsistentAfterAnyResizes) {
    EXPECT_TRUE(holds("free and busy nodes are all nodes", [] {
        Seconds now = 1;  // a predicted end of 0 is none
        Cluster cluster(Machine::uniform(20, 2));
        for (JobId id = 1; id <= 30; ++id) {
            now += *rc::gen::inRange<Seconds>(0, 50);
            const std::vector<int> slots = drom::test::slots_of(cluster);
            const Job job = drom::test::random_job(id, now, 8);
            const NodeSet nodes = cluster.pick(job);
            if (!slots.empty() && *rc::gen::weightedElement<bool>({{3, true}, {2, false}})) {
                const int slot = *rc::gen::elementOf(slots);
                const int most = cluster.running(slot).job.nodes + cluster.free().count();
                const int size = *rc::gen::inRange(1, most + 1);
                const Seconds end = now + *rc::gen::inRange<Seconds>(0, 400);
                cluster.resize(slot, size, now, end);
                RC_ASSERT(cluster.nodes_of(slot).count() == size);
                RC_ASSERT(cluster.running(slot).end == end);
            } else if (!nodes.empty()) {
                cluster.start(job, nodes, now);
            } else {
                cluster.finish(*rc::gen::elementOf(slots), now);
            }
            RC_ASSERT(cluster.inconsistency() == "");
        }
        for (const int slot : drom::test::slots_of(cluster)) cluster.finish(slot, now);
        RC_ASSERT(cluster.free().count() == 20);
        RC_ASSERT(cluster.malleable().empty());
    }));
}

// The prediction must come true when every job uses up its request and no other job comes.
TEST(Cluster, PredictedEndsComeTrueWhenRequestsAreExact) {
    EXPECT_TRUE(holds("predictions", [] {
        SharingRules rules;
        rules.jobs_per_node = *rc::gen::inRange(2, 4);
        rules.parts = *rc::gen::arbitrary<bool>();
        Seconds now = 0;
        Cluster cluster = drom::test::random_cluster(Machine::uniform(9, 4), rules, now, 25);
        for (const int slot : drom::test::slots_of(cluster))  // the test leaves overdue jobs out
            if (cluster.running(slot).end <= now) cluster.finish(slot, now);
        std::vector<Seconds> predicted(static_cast<std::size_t>(cluster.slots()), 0);
        for (const int slot : drom::test::slots_of(cluster))
            predicted[static_cast<std::size_t>(slot)] = cluster.running(slot).end;
        while (!drom::test::slots_of(cluster).empty()) {
            int first = -1;
            for (const int slot : drom::test::slots_of(cluster))
                if (first < 0 || cluster.running(slot).end < cluster.running(first).end) first = slot;
            RC_ASSERT(cluster.running(first).end == predicted[static_cast<std::size_t>(first)]);
            cluster.finish(first, cluster.running(first).end);
        }
    }));
}

SharingRules random_rules(int max_jobs_per_node) {
    SharingRules rules;
    rules.jobs_per_node = *rc::gen::inRange(2, max_jobs_per_node + 1);
    rules.add_free_nodes = *rc::gen::arbitrary<bool>();
    rules.parts = *rc::gen::arbitrary<bool>();
    return rules;
}

TEST(Cluster, SaysBeforeAGuestComesUntilWhenAllMayRun) {
    int guests = 0;
    EXPECT_TRUE(holds("limits beside a guest", [&guests] {
        const SharingRules rules = random_rules(4);
        Seconds now = 0;
        Cluster cluster = drom::test::random_cluster(Machine::uniform(9, 4), rules, now, 25);
        Job guest = drom::test::random_job(100, now, 4);
        if (*rc::gen::arbitrary<bool>()) guest.limit = guest.request + *rc::gen::inRange<Seconds>(0, 300);
        const Availability map(cluster, now, 1);
        const auto chosen = choose_mates(cluster, map, guest, 1e9, rules, now);
        if (!chosen) return;
        Job on_free = guest;
        on_free.nodes = chosen->free_nodes;
        const Sharing sharing = sharing_of(*chosen, chosen->free_nodes > 0 ? cluster.pick(on_free) : NodeSet());
        const std::vector<Stay> said = cluster.stays_if_sharing(guest, sharing, now);
        const int slot = cluster.share(guest, sharing, now);
        RC_ASSERT(said.size() == cluster.changed().size());
        RC_ASSERT(said.back().nodes == cluster.nodes_of(slot));
        RC_ASSERT(said.back().until == cluster.running(slot).limit_end);
        for (const int other : cluster.changed())
            RC_ASSERT(std::ranges::any_of(said, [&](const Stay& stay) {
                return stay.nodes == cluster.nodes_of(other) && stay.until == cluster.running(other).limit_end;
            }));
        ++guests;
    }));
    EXPECT_GT(guests, 0);
}

/// Returns a job that may end at `now`, or the first that has to have ended before; then `now` is its limit.
int ends_next(const Cluster& cluster, Seconds& now) {
    const std::vector<int> slots = drom::test::slots_of(cluster);
    const auto limit = [&cluster](int slot) { return cluster.running(slot).limit_end; };
    const int first = *std::ranges::min_element(slots, {}, limit);
    if (limit(first) > now) return *rc::gen::elementOf(slots);
    now = limit(first);
    return first;
}

// No job ends later because another one ends early. With more jobs on a node that is not so: how cores are spread
// depends on the order of ends.
TEST(Cluster, AnEarlyEndMakesNoOtherJobEndLater) {
    EXPECT_TRUE(holds("ends after early ends", [] {
        Seconds now = 0;
        Cluster cluster = drom::test::random_cluster(Machine::uniform(9, 7), random_rules(3), now, 25);
        for (const int slot : drom::test::slots_of(cluster))  // the test leaves overdue jobs out
            if (cluster.running(slot).limit_end <= now) cluster.finish(slot, now);
        while (!drom::test::slots_of(cluster).empty()) {
            now += *rc::gen::inRange<Seconds>(0, 60);
            std::map<int, Seconds> before;
            for (const int slot : drom::test::slots_of(cluster)) before[slot] = cluster.running(slot).limit_end;
            const int gone = ends_next(cluster, now);
            cluster.finish(gone, now);
            for (const int slot : drom::test::slots_of(cluster))
                RC_ASSERT(cluster.running(slot).limit_end <= before[slot]);
        }
    }));
}

}  // namespace
