// SPDX-License-Identifier: BSD-3-Clause
// mapping_test.cpp - partitions of an application by weights of time, energy and room.
#include "policy/energy/mapping.hpp"

#include <cmath>
#include <vector>

#include "policy/energy/entries.hpp"
#include "property.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;

NodeModel node() {
    NodeModel node;
    node.states = {{1, {}}};
    return node;
}

/// Makes a fast partition, one that saves energy, and a large one.
EnergyModel three() {
    EnergyModel model;
    model.partitions = {node(), node(), node()};
    Application application;
    application.on = {Signature{10, 30, 0, 0, 0}, Signature{20, 10, 0, 0, 0}, Signature{40, 10, 0, 0, 0}};
    model.applications = {application};
    return model;
}

const std::vector<double> kCores{100, 100, 400};

std::vector<std::size_t> order(const EnergyModel& model, const MappingWeights& weights) {
    std::vector<std::size_t> partitions;
    for (const Mapped& there : rank_partitions(model, model.applications[0], kCores, weights))
        partitions.push_back(there.partition);
    return partitions;
}

TEST(Mapping, EachWeightAloneChoosesTheBestByItsCriterion) {
    const EnergyModel model = three();
    EXPECT_EQ(order(model, {1, 0, 0}), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(order(model, {0, 1, 0}), (std::vector<std::size_t>{1, 0, 2}));
    EXPECT_EQ(order(model, {0, 0, 1}), (std::vector<std::size_t>{2, 0, 1}));
}

TEST(Mapping, TheScoreIsTheDistanceOfRatiosToTheBest) {
    const EnergyModel model = three();
    const auto mapped = rank_partitions(model, model.applications[0], kCores, {1, 1, 1});
    const auto expected = [](double time, double energy, double room) {
        return std::sqrt(time * time + energy * energy + room * room);
    };
    ASSERT_EQ(mapped.size(), 3U);
    EXPECT_DOUBLE_EQ(mapped[0].score, expected(1, 1.5, 4));  // 10 s, 300 J, 100 cores
    EXPECT_DOUBLE_EQ(mapped[1].score, expected(2, 1, 4));    // 20 s, 200 J, 100 cores
    EXPECT_DOUBLE_EQ(mapped[2].score, expected(4, 2, 1));    // 40 s, 400 J, 400 cores
    EXPECT_EQ(mapped[0].joules, 300);
}

TEST(Mapping, APartitionOnWhichTheApplicationDoesNotRunIsLeftOut) {
    EnergyModel model = three();
    model.applications[0].on[0] = std::nullopt;
    EXPECT_EQ(order(model, {1, 1, 0}), (std::vector<std::size_t>{1, 2}));
    model.applications[0].on = {};
    EXPECT_TRUE(order(model, {1, 1, 0}).empty());
}

TEST(Mapping, EqualPartitionsStayInTheirOrder) {
    EnergyModel model = three();
    model.applications[0].on[1] = model.applications[0].on[2] = model.applications[0].on[0];
    EXPECT_EQ(order(model, {1, 1, 0}), (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
