// SPDX-License-Identifier: BSD-3-Clause
// runtime_model_test.cpp - the speed of a job on fewer cores.
#include "policy/job/runtime_model.hpp"

#include "property.hpp"

namespace {

using namespace drom::policy;
using drom::test::holds;

double speed(const RuntimeModel& model, const std::vector<Piece>& pieces, int cores) {
    const Rate rate = model.rate(pieces, cores);
    return static_cast<double>(rate.done) / static_cast<double>(rate.per);
}

RuntimeModel model(ModelKind kind) { return {kind, 64, 1, 0.01}; }

TEST(RuntimeModel, IdealAdvancesAtTheMeanAndWorstCaseAtTheSlowestNode) {
    const std::vector<Piece> half_of_one_in_four = {{1, 8}, {3, 16}};
    EXPECT_DOUBLE_EQ(speed(model(ModelKind::kIdeal), half_of_one_in_four, 16), 0.875);
    EXPECT_DOUBLE_EQ(speed(model(ModelKind::kWorstCase), half_of_one_in_four, 16), 0.5);
}

// Table: A, sigma, cores, speedup by Downey's formulas, worked out by hand.
TEST(RuntimeModel, DowneysCurveHasItsKnownValues) {
    struct Row {
        double parallelism, sigma, cores, speedup;
    };
    const Row rows[] = {
        {10, 0, 5, 5},
        {10, 0, 10, 10},
        {10, 0, 20, 10},  // sigma 0: linear to A, then flat
        {10, 1, 10, 10 * 10 / (10 + 0.5 * 9)},
        {10, 1, 19, 10},  // the knee at 2A - 1
        {10, 2, 10, 10 * 10 * 3 / (2 * 19.0 + 10)},
        {10, 2, 28, 10},  // A + A sigma - sigma
        {64, 1, 1, 1},
        {64, 2, 1, 1},
    };
    for (const Row& row : rows)
        EXPECT_NEAR(downey_speedup(row.cores, row.parallelism, row.sigma), row.speedup, 1e-9)
            << row.parallelism << ' ' << row.sigma << ' ' << row.cores;
}

TEST(RuntimeModel, AmdahlsSerialPartBounds) {
    EXPECT_NEAR(amdahl_speedup(1, 0.1), 1, 1e-12);
    EXPECT_NEAR(amdahl_speedup(1e9, 0.1), 10, 1e-6);
}

TEST(RuntimeModel, FullCoresAreFullSpeedAndNoModelIsSlowerThanTheWorstCase) {
    EXPECT_TRUE(holds("speeds", [] {
        const int cores = *rc::gen::inRange(1, 65);
        std::vector<Piece> pieces, full;
        for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
            const int nodes = *rc::gen::inRange(1, 100);
            pieces.push_back({nodes, *rc::gen::inRange(1, cores + 1)});
            full.push_back({nodes, cores});
        }
        const double worst = speed(model(ModelKind::kWorstCase), pieces, cores);
        for (const ModelKind kind :
             {ModelKind::kIdeal, ModelKind::kWorstCase, ModelKind::kDowney, ModelKind::kAmdahl}) {
            RuntimeModel any = model(kind);
            any.sigma = *rc::gen::inRange(0, 30) / 10.0;
            any.parallelism = *rc::gen::inRange(1, 5000);
            RC_ASSERT(speed(any, full, cores) == 1);
            RC_ASSERT(speed(any, pieces, cores) <= 1);
            RC_ASSERT(speed(any, pieces, cores) >= worst - 2e-6);
            RC_ASSERT(any.rate(pieces, cores).per == any.rate(full, cores).per);
        }
    }));
}

}  // namespace
