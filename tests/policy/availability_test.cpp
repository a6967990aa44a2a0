// SPDX-License-Identifier: BSD-3-Clause
// availability_test.cpp - the map of reservations against one that counts every second.
#include "policy/cluster/availability.hpp"

#include "property.hpp"
#include "random_cluster.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;

constexpr Seconds kSpan = 400;

/// Counts the free nodes of every second, the slow way.
class EverySecond {
public:
    explicit EverySecond(int free) : free_(kSpan, free) {}
    void add(Seconds from, Seconds to, int nodes) {
        for (Seconds t = from; t < std::min(to, kSpan); ++t) free_[static_cast<std::size_t>(t)] += nodes;
    }
    int min_free(Seconds from, Seconds to) const {
        int min = free_.back();
        for (Seconds t = from; t < std::min(to, kSpan); ++t) min = std::min(min, free_[static_cast<std::size_t>(t)]);
        return to > kSpan ? std::min(min, free_.back()) : min;
    }
    Seconds earliest(int nodes, Seconds duration, Seconds from) const {
        for (Seconds t = from; t < kSpan; ++t)
            if (min_free(t, t + duration) >= nodes) return t;
        return kNever;
    }

private:
    std::vector<int> free_;
};

TEST(Availability, ATimelineAnswersAsOneThatCountsEverySecond) {
    EXPECT_TRUE(holds("earliest and least", [] {
        const int free = *rc::gen::inRange(0, 10);
        Timeline timeline(0, free);
        EverySecond slow(free);
        Seconds at = 0;
        for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
            at += *rc::gen::inRange<Seconds>(0, 30);
            const int nodes = *rc::gen::inRange(1, 5);
            timeline.release(at, nodes);
            slow.add(at, kSpan, nodes);
        }
        for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
            const Seconds from = *rc::gen::inRange<Seconds>(0, 200), to = from + *rc::gen::inRange<Seconds>(0, 100);
            const int nodes = *rc::gen::inRange(1, 5);
            timeline.occupy(from, to, nodes);
            slow.add(from, to, -nodes);
        }
        for (int nodes = 0; nodes < 15; nodes += 3)
            for (Seconds from = 0; from < 250; from += 17) {
                const Seconds duration = 1 + from % 90;
                RC_ASSERT(timeline.earliest(nodes, duration, from) == slow.earliest(nodes, duration, from));
                RC_ASSERT(timeline.min_free(from, from + duration) == slow.min_free(from, from + duration));
            }
    }));
}

TEST(Availability, AJobStartsWhenEnoughNodesOfItsClassesAreFree) {
    Machine machine = Machine::uniform(2, 4);
    machine.nodes = 4;
    machine.classes.push_back({NodeSet(2, 2), 0b1, 0});
    Cluster cluster(machine);
    Job busy;
    busy.nodes = 3;
    busy.request = 100;
    cluster.start(busy, cluster.pick(busy), 0);
    const Availability map(cluster, 0, 1);
    Job special = busy;
    special.nodes = 1;
    special.filter.features = 0b1;
    EXPECT_EQ(map.earliest(special, 0), 0);
    special.nodes = 2;
    EXPECT_EQ(map.earliest(special, 0), 100);
    special.nodes = 3;
    EXPECT_EQ(map.earliest(special, 0), kNever);
}

TEST(Availability, EndsAreRoundedUpToTheResolutionAndOverdueJobsEndSoon) {
    Cluster cluster(Machine::uniform(4, 4));
    Job busy;
    busy.nodes = 4;
    busy.request = 90;
    cluster.start(busy, cluster.pick(busy), 0);
    EXPECT_EQ(Availability(cluster, 10, 60).earliest(busy, 10), 120);
    EXPECT_EQ(Availability(cluster, 500, 1).earliest(busy, 500), 501);
}

}  // namespace
