// SPDX-License-Identifier: BSD-3-Clause
// energy_test.cpp - prediction, frequency, efficiency and order of entries (thesis, equations 6.1 to 6.5).
#include <algorithm>
#include <cmath>
#include <set>

#include "policy/energy/entries.hpp"
#include "property.hpp"
#include "thesis_energy.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;
using drom::test::thesis_model;

constexpr int kApplications = 8;

std::vector<Entry> entries_for(const EnergyModel& model, int application, const EnergyRules& rules, int nodes = 1) {
    Job job;
    job.application = application;
    job.nodes = nodes;
    return entries_of(model, job, rules);
}

Prediction chosen(const EnergyModel& model, int application, std::size_t partition, Aim aim, double weight = 1) {
    const NodeModel& node = model.partitions[partition];
    const auto& on = model.applications[static_cast<std::size_t>(application)].on;
    return choose(predict(node, *on[partition]), node.nominal_ghz(), aim, weight);
}

// ---- the published tables --------------------------------------------------------------------------------------

TEST(Energy, FrequenciesOfTheThesis) {
    struct Row {
        std::size_t partition;
        Aim aim;
        double weight;
        double ghz[kApplications];
    };
    const Row rows[] = {
        {0, Aim::kBalance, 1, {2.4, 2.5, 2.7, 2.7, 2.6, 2.4, 2.7, 1.2}},
        {0, Aim::kBalance, 1.5, {2.6, 2.7, 2.7, 2.7, 2.7, 2.4, 2.7, 1.2}},
        {1, Aim::kBalance, 1, {2.8, 3.0, 3.1, 3.1, 3.0, 2.7, 3.1, 1.2}},
        {1, Aim::kBalance, 1.5, {2.8, 3.0, 3.1, 3.1, 3.0, 3.0, 3.1, 1.2}},
        {0, Aim::kEnergy, 1, {1.8, 2.2, 2.1, 1.8, 2.2, 1.4, 1.7, 1.2}},
        {1, Aim::kEnergy, 1, {2.1, 2.7, 2.8, 2.1, 2.7, 2.3, 2.0, 1.2}},
    };
    const EnergyModel model = thesis_model();
    for (const Row& row : rows)
        for (int a = 0; a < kApplications; ++a)
            EXPECT_EQ(chosen(model, a, row.partition, row.aim, row.weight).ghz, row.ghz[a])
                << "application " << a + 1 << " on partition " << row.partition + 1 << ", weight " << row.weight;
}

TEST(Energy, SevenApplicationsPreferTheFirstPartitionAndStreamTheSecond) {
    const double worse_over_better[] = {1.078, 1.114, 1.160, 1.251, 1.038, 1.136, 1.117, 1.330};
    const EnergyModel model = thesis_model();
    for (int a = 0; a < kApplications; ++a) {
        const std::vector<Entry> entries = entries_for(model, a, {});
        ASSERT_EQ(entries.size(), 2U);
        EXPECT_EQ(entries[0].point.partition, a == 7 ? 1 : 0) << "application " << a + 1;
        EXPECT_NEAR(entries[1].point.efficiency / entries[0].point.efficiency, worse_over_better[a], 0.0005)
            << "application " << a + 1;
    }
}

TEST(Energy, ThreeApplicationsTakeLessEnergyOnTheThirdPartitionAtNominalFrequency) {
    const EnergyModel model = thesis_model(true);
    std::set<int> less;
    for (int a = 0; a < kApplications; ++a)
        if (chosen(model, a, 1, Aim::kNominal).joules() < chosen(model, a, 0, Aim::kNominal).joules())
            less.insert(a + 1);
    EXPECT_EQ(less, (std::set<int>{5, 7, 8}));
}

TEST(Energy, NoApplicationOfTheThesisIsBeyondItsThreshold) {
    for (const double weight : {1.0, 1.5}) {
        EnergyRules rules;
        rules.time_weight = weight;
        for (int a = 0; a < kApplications; ++a)
            for (const Entry& entry : entries_for(thesis_model(), a, rules))
                EXPECT_EQ(entry.rank, entry.point.preference);
    }
    EnergyRules narrow;
    narrow.threshold = 0.30;
    EXPECT_EQ(entries_for(thesis_model(), 7, narrow)[1].rank, 2);  // STREAM on p1 is 33 % worse
    EXPECT_EQ(entries_for(thesis_model(), 3, narrow)[1].rank, 1);  // sp-mz.C on p2 25 %
}

// ---- the two forms of the model, by hand -----------------------------------------------------------------------

TEST(Energy, CoefficientsGivePowerAndTime) {
    NodeModel node;
    node.states = {{1, {0.5, 2, 3, 0.25, 0.5, 0.25}}, {2, {}}};
    node.nominal = 1;
    const auto predictions = predict(node, {100, 200, 2, 1, 0});
    ASSERT_EQ(predictions.size(), 2U);
    EXPECT_DOUBLE_EQ(predictions[0].watts, 0.5 * 200 + 2 * 1 + 3);
    EXPECT_DOUBLE_EQ(predictions[0].seconds, 100 * (0.25 * 2 + 0.5 * 1 + 0.25) / 2 * 2 / 1);
    EXPECT_EQ(predictions[1].seconds, 100);
    EXPECT_EQ(predictions[1].watts, 200);
}

TEST(Energy, ASlopeGivesTimeAndACurvePower) {
    NodeModel node;
    node.states = {{1, {}}, {2, {}}};
    node.nominal = 1;
    node.curve = PowerCurve{0.5, 2};
    const auto half = predict(node, {100, 200, 0, 0, 5});  // 5 s per 0.1 GHz: half of the time scales
    EXPECT_DOUBLE_EQ(half[0].seconds, 150);
    EXPECT_DOUBLE_EQ(half[0].watts, 200 * (0.5 + 0.5 * 0.25));
    const auto all = predict(node, {100, 200, 0, 0, 50});
    EXPECT_DOUBLE_EQ(all[0].seconds, 200);  // no more than the frequency itself
}

TEST(Energy, StatesWithoutAPositiveTimeOrPowerAreLeftOut) {
    NodeModel node;
    node.states = {{1, {-1, 0, 0, 1, 0, 0}}, {1.5, {1, 0, 0, -1, 0, 0}}, {2, {}}};
    node.nominal = 2;
    EXPECT_EQ(predict(node, {100, 200, 2, 1, 0}).size(), 1U);
}

TEST(Energy, TheBaselinesHaveOnePartitionOrTheConfiguredOrder) {
    EnergyRules rules{Aim::kNominal, EntryOrder::kBestPartition, 1, 0.35, 0};
    const auto best = entries_for(thesis_model(), 7, rules);
    ASSERT_EQ(best.size(), 1U);
    EXPECT_EQ(best[0].point.partition, 1);
    EXPECT_EQ(best[0].point.ghz, 3.1);
    EXPECT_NEAR(best[0].point.time_factor, 81.4371526666667 / 107.547821, 1e-12);
    rules = {Aim::kTime, EntryOrder::kConfigured, 1, 0.35, 0};
    const auto both = entries_for(thesis_model(), 7, rules);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].point.partition, 0);
    EXPECT_EQ(both[0].point.preference, 1);
}

TEST(Energy, AnUnknownApplicationRunsEverywhereAlike) {
    const EnergyModel model = thesis_model();
    const auto entries = entries_for(model, -1, {});
    ASSERT_EQ(entries.size(), 2U);
    for (std::size_t p = 0; p < entries.size(); ++p) {
        EXPECT_EQ(entries[p].point.partition, static_cast<int>(p));
        EXPECT_EQ(entries[p].point.time_factor, 1);
        EXPECT_EQ(entries[p].point.ghz, model.partitions[p].nominal_ghz());
        EXPECT_EQ(entries[p].rank, 0);
    }
    Job job;
    EXPECT_NEAR(nominal_point(model, job, 0).watts, 400.8, 0.1);
    job.application = 0;
    EXPECT_EQ(nominal_point(model, job, 1).watts, 367.455569778816);
}

TEST(Energy, ALargerJobRunsAsWasMeasuredOnThatManyNodes) {
    EnergyModel model = thesis_model();
    Signatures on = model.applications[0].on;
    on[1]->seconds = 3 * on[0]->seconds;
    on[1]->watts = 500;
    model.applications[0].larger = {{4, on}};
    EnergyRules rules;
    rules.aim = Aim::kNominal;
    const auto slower = [&](int nodes) {
        const std::vector<Entry> entries = entries_for(model, 0, rules, nodes);
        return std::ranges::max(entries, {}, [](const Entry& entry) { return entry.point.partition; }).point;
    };
    EXPECT_NEAR(slower(3).time_factor, 57.4475 / 52.4929, 1e-4);
    EXPECT_EQ(slower(4).time_factor, 3);
    EXPECT_EQ(slower(99).watts, 500);
    Job job;
    job.application = 0;
    job.nodes = 4;
    EXPECT_EQ(nominal_point(model, job, 1).watts, 500);
}

TEST(Energy, AJobIsNotEnteredWhereItIsTooWide) {
    EnergyModel model = thesis_model();
    model.partitions[0].nodes = 4;
    model.partitions[1].nodes = 8;
    EXPECT_EQ(entries_for(model, 0, {}, 4).size(), 2U);
    const auto wide = entries_for(model, 0, {}, 5);
    ASSERT_EQ(wide.size(), 1U);
    EXPECT_EQ(wide[0].point.partition, 1);
    EXPECT_TRUE(entries_for(model, 0, {}, 9).empty());
    EXPECT_EQ(entries_for(model, -1, {}, 5).size(), 1U);
}

// ---- properties ------------------------------------------------------------------------------------------------

double real(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 10001) / 10000; }

Prediction random_prediction() { return {real(1, 4), real(1, 200), real(50, 500)}; }

std::vector<Prediction> random_predictions() {
    std::vector<Prediction> predictions;
    for (int i = *rc::gen::inRange(1, 20); i > 0; --i) predictions.push_back(random_prediction());
    return predictions;
}

TEST(EnergyProperties, NoStateIsBothFasterAndCheaperThanTheChosenOne) {
    EXPECT_TRUE(holds("front", [] {
        const auto predictions = random_predictions();
        for (const Aim aim : {Aim::kBalance, Aim::kTime, Aim::kEnergy}) {
            const Prediction best = choose(predictions, 2, aim, real(0.1, 5));
            for (const Prediction& other : predictions)
                RC_ASSERT(other.seconds >= best.seconds || other.joules() >= best.joules());
        }
    }));
}

TEST(EnergyProperties, MoreWeightOfTimeNeverChoosesASlowerState) {
    EXPECT_TRUE(holds("weight", [] {
        const auto predictions = random_predictions();
        const double weight = real(0, 5);
        const Prediction slow = choose(predictions, 2, Aim::kBalance, weight);
        const Prediction fast = choose(predictions, 2, Aim::kBalance, weight + real(0, 5));
        RC_ASSERT(fast.seconds <= slow.seconds * (1 + 1e-12));
        RC_ASSERT(choose(predictions, 2, Aim::kBalance, 0).joules() ==
                  choose(predictions, 2, Aim::kEnergy, 0).joules());
    }));
}

TEST(EnergyProperties, UnitsOfTimeAndPowerDoNotMatter) {
    EXPECT_TRUE(holds("units", [] {
        auto predictions = random_predictions();
        const double weight = real(0.1, 5);
        const Prediction before = choose(predictions, 2, Aim::kBalance, weight);
        for (Prediction& at : predictions) {
            at.seconds *= 1024;
            at.watts /= 512;
        }
        const Prediction after = choose(predictions, 2, Aim::kBalance, weight);
        RC_ASSERT(after.seconds == before.seconds * 1024);
        RC_ASSERT(after.watts == before.watts / 512);
    }));
}

EnergyModel random_model() {
    EnergyModel model;
    const int partitions = *rc::gen::inRange(1, 5);
    model.applications.resize(1);
    for (int p = 0; p < partitions; ++p) {
        NodeModel node = drom::test::partition_p3();
        node.nominal = *rc::gen::inRange<std::size_t>(0, node.states.size());
        model.partitions.push_back(std::move(node));
        const bool there = p == 0 || *rc::gen::inRange(0, 4) > 0;
        model.applications[0].on.push_back(
            there ? std::optional(Signature{real(1, 100), real(50, 500), 0, 0, real(0, 8)}) : std::nullopt);
    }
    return model;
}

EnergyRules random_rules() {
    EnergyRules rules;
    rules.aim = *rc::gen::element(Aim::kBalance, Aim::kTime, Aim::kEnergy, Aim::kNominal);
    rules.order = *rc::gen::element(EntryOrder::kConfigured, EntryOrder::kReorder, EntryOrder::kPriorityInc,
                                    EntryOrder::kPriorityIncV, EntryOrder::kBestPartition);
    rules.time_weight = real(0, 3);
    rules.threshold = real(0, 1);
    return rules;
}

TEST(EnergyProperties, EntriesAreOnePerPartitionWithTheirPlacesByEfficiency) {
    EXPECT_TRUE(holds("entries", [] {
        const EnergyModel model = random_model();
        const EnergyRules rules = random_rules();
        const auto entries = entries_for(model, 0, rules);
        const auto& on = model.applications[0].on;
        std::set<int> partitions, preferences;
        for (const Entry& entry : entries) {
            RC_ASSERT(on[static_cast<std::size_t>(entry.point.partition)].has_value());
            RC_ASSERT(entry.point.efficiency >= std::sqrt(1 + rules.time_weight) * (1 - 1e-12));
            partitions.insert(entry.point.partition);
            preferences.insert(entry.point.preference);
        }
        const auto there = static_cast<std::size_t>(std::ranges::count_if(on, [](const auto& p) { return bool(p); }));
        RC_ASSERT(partitions.size() == entries.size());
        RC_ASSERT(preferences.size() == entries.size());
        RC_ASSERT(entries.size() == (rules.order == EntryOrder::kBestPartition ? 1 : there));
        for (const Entry& a : entries)
            for (const Entry& b : entries)
                RC_ASSERT((a.point.preference < b.point.preference) <= (a.point.efficiency <= b.point.efficiency));
    }));
}

TEST(EnergyProperties, RanksFollowTheOrder) {
    EXPECT_TRUE(holds("ranks", [] {
        const EnergyModel model = random_model();
        const EnergyRules rules = random_rules();
        const auto entries = entries_for(model, 0, rules);
        const int last = static_cast<int>(model.partitions.size());
        for (const Entry& entry : entries) {
            const bool beyond = entry.point.efficiency > (1 + rules.threshold) * entries.front().point.efficiency;
            switch (rules.order) {
                case EntryOrder::kPriorityInc: RC_ASSERT(entry.rank == entry.point.preference); break;
                case EntryOrder::kPriorityIncV:
                    RC_ASSERT(entry.rank == (beyond ? last : entry.point.preference));
                    break;
                default: RC_ASSERT(entry.rank == 0);
            }
        }
        RC_ASSERT(entries.front().rank == 0);
    }));
}

TEST(EnergyProperties, WiderThresholdsMoveFewerEntriesBack) {
    EXPECT_TRUE(holds("threshold", [] {
        const EnergyModel model = random_model();
        EnergyRules rules = random_rules();
        rules.order = EntryOrder::kPriorityIncV;
        const auto narrow = entries_for(model, 0, rules);
        rules.threshold += real(0, 1);
        const auto wide = entries_for(model, 0, rules);
        for (std::size_t i = 0; i < wide.size(); ++i) RC_ASSERT(wide[i].rank <= narrow[i].rank);
    }));
}

}  // namespace
