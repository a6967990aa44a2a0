// SPDX-License-Identifier: BSD-3-Clause
// nearness_test.cpp - the nearest CPUs to gain and the farthest to give up, on the nodes of topologies.hpp.
#include "partition/nearness.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "property.hpp"
#include "topologies.hpp"

namespace {

using namespace drom;
using namespace drom::partition;
using drom::test::holds;
using drom::test::Node;

const std::vector<Node>& all_nodes() {
    static const std::vector<Node> nodes = drom::test::nodes();
    return nodes;
}

const Node& any_node() { return all_nodes()[*rc::gen::inRange<size_t>(0, all_nodes().size())]; }

CpuSet any_subset(const CpuSet& of) {
    CpuSet subset{};
    const auto keep = *rc::gen::inRange(0, 5);
    uint64_t random = *rc::gen::arbitrary<uint64_t>() | 1;
    for (uint32_t cpu = of.first(); cpu < kMaxCpus; cpu = of.next(cpu + 1)) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        if (static_cast<int>(random >> 60) % 5 <= keep) subset.add(cpu);
    }
    return subset;
}

template <class Key>
std::map<Key, uint32_t> sizes(const CpuSet& set, const Node& node, Key (*key)(const Location&)) {
    std::map<Key, uint32_t> counts;
    for (uint32_t cpu = set.first(); cpu < kMaxCpus; cpu = set.next(cpu + 1)) ++counts[key(node.locations[cpu])];
    return counts;
}

using Core = std::tuple<uint16_t, uint16_t, uint16_t, uint16_t>;
Core core_of(const Location& location) { return {location.package, location.numa, location.l3, location.core}; }
uint16_t package_of(const Location& location) { return location.package; }
uint16_t numa_of(const Location& location) { return location.numa; }
uint16_t l3_of(const Location& location) { return location.l3; }

template <class Key>
uint32_t split(const CpuSet& chosen, const CpuSet& available, const Node& node, Key (*key)(const Location&)) {
    uint32_t parts = 0;
    const auto whole = sizes(available, node, key);
    for (const auto& [location, count] : sizes(chosen, node, key)) parts += count < whole.at(location) ? 1U : 0U;
    return parts;
}

TEST(Nearness, NearHasTheRightSizeAndOnlyCandidates) {
    EXPECT_TRUE(holds("choose_near", [] {
        const Node& node = any_node();
        const CpuSet base = any_subset(node.present);
        const CpuSet candidates = any_subset(node.present);
        const auto count = *rc::gen::inRange(0U, node.cpus() + 2);
        const CpuSet chosen = choose_near(base, candidates, count, node.locations.data());
        RC_ASSERT(candidates.contains(chosen));
        RC_ASSERT(!chosen.intersects(base));
        RC_ASSERT(chosen.count() == std::min(count, (candidates - base).count()));
        RC_ASSERT(chosen == choose_near(base, candidates, count, node.locations.data()));
    }));
}

TEST(Nearness, FarHasTheRightSizeAndOnlyOnesOwn) {
    EXPECT_TRUE(holds("choose_far", [] {
        const Node& node = any_node();
        const CpuSet mine = any_subset(node.present);
        const auto count = *rc::gen::inRange(0U, node.cpus() + 2);
        const CpuSet given = choose_far(mine, count, node.locations.data());
        RC_ASSERT(mine.contains(given));
        RC_ASSERT(given.count() == std::min(count, mine.count()));
        RC_ASSERT(given == choose_far(mine, count, node.locations.data()));
    }));
}

TEST(Nearness, AWholePackageIsTakenAndGivenWhole) {
    EXPECT_TRUE(holds("packages", [] {
        const Node& node = any_node();
        const auto packages = sizes(node.present, node, package_of);
        const auto smallest =
            std::min_element(packages.begin(), packages.end(), [](auto& a, auto& b) { return a.second < b.second; });
        const CpuSet chosen = choose_near(CpuSet::empty(), node.present, smallest->second, node.locations.data());
        RC_ASSERT(sizes(chosen, node, package_of).size() == 1U);
        if (packages.size() != 2) return;
        const CpuSet given = choose_far(node.present, smallest->second, node.locations.data());
        RC_ASSERT(sizes(given, node, package_of).size() == 1U);
    }));
}

TEST(Nearness, StaysInOneNumaNodeAndOneL3WhenTheyHaveRoom) {
    EXPECT_TRUE(holds("fits", [] {
        const Node& node = any_node();
        const auto l3s = sizes(node.present, node, l3_of);
        const auto numas = sizes(node.present, node, numa_of);
        uint32_t in_l3 = UINT32_MAX;
        uint32_t in_numa = UINT32_MAX;
        for (const auto& [id, count] : l3s) in_l3 = std::min(in_l3, count);
        for (const auto& [id, count] : numas) in_numa = std::min(in_numa, count);
        const auto count = *rc::gen::inRange(1U, in_numa + 1);
        const CpuSet chosen = choose_near(CpuSet::empty(), node.present, count, node.locations.data());
        RC_ASSERT(sizes(chosen, node, numa_of).size() == 1U);
        if (count <= in_l3) RC_ASSERT(sizes(chosen, node, l3_of).size() == 1U);
    }));
}

TEST(Nearness, SplitsAtMostOneCore) {
    EXPECT_TRUE(holds("cores", [] {
        const Node& node = any_node();
        const auto count = *rc::gen::inRange(1U, node.present.count());
        const CpuSet chosen = choose_near(CpuSet::empty(), node.present, count, node.locations.data());
        RC_ASSERT(split(chosen, node.present, node, core_of) <= 1U);
        const CpuSet kept = node.present - choose_far(node.present, count, node.locations.data());
        RC_ASSERT(split(kept, node.present, node, core_of) <= 1U);
    }));
}

TEST(Nearness, GrowsWhereItIs) {
    for (const Node& node : all_nodes()) {
        const CpuSet base = choose_near(CpuSet::empty(), node.present, 2, node.locations.data());
        const auto room = sizes(node.present, node, l3_of).at(l3_of(node.locations[base.first()]));
        if (room <= 2) continue;
        const CpuSet more = choose_near(base, node.present, room - 2, node.locations.data());
        EXPECT_EQ(sizes(base | more, node, l3_of).size(), 1U) << node.name;
    }
}

TEST(Nearness, ShrinkingAndGrowingAgainComesBackToTheSameCpus) {
    EXPECT_TRUE(holds("there and back", [] {
        const Node& node = any_node();
        const auto count = *rc::gen::inRange(1U, node.present.count());
        const CpuSet given = choose_far(node.present, count, node.locations.data());
        const CpuSet back = choose_near(node.present - given, given, count, node.locations.data());
        RC_ASSERT(back == given);
    }));
}

TEST(Nearness, DistanceOrdersTheLevels) {
    const Location here{1, 1, 1, 1};
    EXPECT_EQ(distance(here, {1, 1, 1, 1}), 0U);
    EXPECT_EQ(distance(here, {2, 1, 1, 1}), 1U);
    EXPECT_EQ(distance(here, {1, 2, 1, 1}), 2U);
    EXPECT_EQ(distance(here, {1, 1, 2, 1}), 3U);
    EXPECT_EQ(distance(here, {1, 1, 1, 2}), 4U);
    const Location unknown{UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX};
    EXPECT_EQ(distance(unknown, unknown), 0U);
}

TEST(Nearness, NothingToChooseFrom) {
    const Node& node = all_nodes()[0];
    EXPECT_TRUE(choose_near(node.present, CpuSet::empty(), 3, node.locations.data()).none());
    EXPECT_TRUE(choose_near(node.present, node.present, 3, node.locations.data()).none());
    EXPECT_TRUE(choose_far(CpuSet::empty(), 3, node.locations.data()).none());
    EXPECT_TRUE(choose_far(node.present, 0, node.locations.data()).none());
}

}  // namespace
