// SPDX-License-Identifier: BSD-3-Clause
// placement_gap_test.cpp - how much more a placement costs than the least cost that GLPK finds.
#include "policy/placement/placement.hpp"
#include "random_placement.hpp"
#include "skip.hpp"

#ifdef DROM_GLPK
#include "placement_exact.hpp"
#endif

#include <algorithm>
#include <cstdio>

namespace {

using namespace drom::policy::placement;
using namespace drom::test;

#ifdef DROM_GLPK

constexpr int kProblems = 20;  // of each size

/// Returns the cost beyond the least, as a share of it; where the least is 0, the cost. Negative: GLPK finds none.
double gap(const Problem& problem) {
    const Plan plan = place(problem);
    const double least = ExactPlacement(problem).min_cost(plan), cost = cost_of(problem, plan);
    if (least < 0) return -1;
    return least > 0 ? cost / least - 1 : cost;
}

// Prints a line of JSON per size, which scripts/results/placement.py reads.
TEST(PlacementGap, IsZeroForMostAndSmallForNearlyAll) {
    for (const int size : {2, 4, 6, 8}) {
        std::vector<double> gaps;
        for (int i = 0; i < kProblems; ++i)
            gaps.push_back(gap(random_placement(static_cast<std::uint64_t>(1000 * size + i), size, size)));
        std::ranges::sort(gaps);
        EXPECT_GT(gaps.front(), -1e-6) << "GLPK found no plan, or a dearer one";
        const auto at = [&](std::size_t percent) { return gaps[(gaps.size() * percent + 99) / 100 - 1]; };
        std::printf(R"({"size": %d, "problems": %zu, "median": %.4f, "p95": %.4f, "largest": %.4f})"
                    "\n",
                    size, gaps.size(), at(50), at(95), gaps.back());
        EXPECT_LT(at(50), 1e-6);
        EXPECT_LE(at(95), 0.05);
    }
}

#else

TEST(PlacementGap, IsZeroForMostAndSmallForNearlyAll) { DROM_SKIP("no GLPK; install libglpk-dev"); }

#endif

}  // namespace
