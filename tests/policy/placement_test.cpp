// SPDX-License-Identifier: BSD-3-Clause
// placement_test.cpp - cases that can be worked out by hand, and what holds for every placement.
#include "policy/placement/placement.hpp"

#include "property.hpp"
#include "random_placement.hpp"

namespace {

using namespace drom::policy::placement;
using namespace drom::test;

Application application(int ranks, double priority = 1, double move = 0, Parts now = {}) {
    return {ranks, priority, move, 0, std::move(now)};
}

TEST(Placement, TakesTheCheapestSystem) {
    const Problem problem{{{16, 2}, {16, 1}}, {application(8)}, 0};
    EXPECT_EQ(place(problem), (Plan{{{1, 8}}}));
    EXPECT_EQ(cost_of(problem, place(problem)), 8);
}

TEST(Placement, SpreadsWhereThatIsCheaperThanOneSystem) {
    const std::vector<System> systems{{8, 1}, {16, 2}};
    // Eight ranks on each for 24, or all on the dear one for 32: spread decides.
    EXPECT_EQ(place({systems, {application(16)}, 7}), (Plan{{{0, 8}, {1, 8}}}));
    EXPECT_EQ(place({systems, {application(16)}, 9}), (Plan{{{1, 16}}}));
}

TEST(Placement, WeighsCostsByPriority) {
    // There is room for one of them on the cheap system.
    const Problem problem{{{8, 1}, {8, 3}}, {application(8, 1), application(8, 2)}, 0};
    EXPECT_EQ(place(problem), (Plan{{{1, 8}}, {{0, 8}}}));
    EXPECT_EQ(cost_of(problem, place(problem)), 24 + 16);
}

TEST(Placement, MovesOnlyWhereTheSystemPaysForTheMove) {
    const std::vector<System> systems{{8, 1}, {8, 2}};
    EXPECT_EQ(place({systems, {application(8, 1, 1.5, {{1, 8}})}, 0}), (Plan{{{1, 8}}}));
    EXPECT_EQ(place({systems, {application(8, 1, 0.5, {{1, 8}})}, 0}), (Plan{{{0, 8}}}));
    // Only the ranks that arrive cost: four of them stay.
    const Application grown = application(8, 1, 1, {{1, 4}});
    EXPECT_EQ(moved(grown, {{1, 8}}), 4);
    EXPECT_EQ(cost_of({systems, {grown}, 3}, grown, {{1, 8}}), 8 * 2 + 4 + 3);
}

TEST(Placement, LeavesASystemWithoutCores) {
    EXPECT_EQ(place({{{0, 1}, {8, 5}}, {application(8, 1, 9, {{0, 8}})}, 0}), (Plan{{{1, 8}}}));
}

TEST(Placement, ChangesPlacesWhereTheGreedyWasWrong) {
    // The largest goes first and takes the cheap system, where the dearer application should be.
    const Problem problem{{{8, 1}, {9, 2}}, {application(8, 1), application(7, 4)}, 2};
    EXPECT_EQ(place(problem), (Plan{{{1, 8}}, {{0, 7}}}));
}

TEST(Placement, DropsTheLeastPriority) {
    const Problem problem{{{16, 1}}, {application(10, 1), application(10, 2), application(4, 1)}, 0};
    // The first does not fit beside the second, the last does.
    EXPECT_EQ(place(problem), (Plan{{}, {{0, 10}}, {{0, 4}}}));
}

TEST(Placement, AgeCountsForDroppingOnly) {
    Problem problem{{{8, 1}, {8, 3}}, {application(8, 1), application(8, 2), application(1, 1)}, 0};
    problem.applications[2].age = 5;
    // The aged one is placed, and costs what its priority says.
    const Plan plan = place(problem);
    EXPECT_TRUE(plan[0].empty());
    EXPECT_EQ(plan[1], (Parts{{0, 8}}));
    EXPECT_EQ(plan[2], (Parts{{1, 1}}));
}

TEST(Placement, EveryApplicationThatFitsRunsInTheEnd) {
    Problem problem{{{8, 1}}, {application(8, 3), application(8, 2), application(8, 1)}, 0};
    std::vector<int> runs(3);
    for (int round = 0; round < 12; ++round) {
        const Plan plan = place(problem);
        for (std::size_t a = 0; a < 3; ++a) runs[a] += plan[a].empty() ? 0 : 1;
        problem = after(std::move(problem), plan);
    }
    EXPECT_EQ(runs, (std::vector<int>{7, 3, 2}));
    // Without ageing the first keeps the system for ever.
    Problem unfair{{{8, 1}}, {application(8, 3), application(8, 2)}, 0, 0};
    for (int round = 0; round < 12; ++round) {
        EXPECT_TRUE(place(unfair)[1].empty());
        unfair = after(std::move(unfair), place(unfair));
    }
    EXPECT_EQ(unfair.applications[1].age, 12);
}

TEST(Placement, AViolationIsNamed) {
    const Problem problem{{{4, 1}, {4, 1}}, {application(4), application(2)}, 0};
    EXPECT_EQ(violation(problem, {{{0, 4}}, {{1, 2}}}), "");
    EXPECT_EQ(violation(problem, {{{0, 3}}, {{1, 2}}}), "application 0 has not all its ranks");
    EXPECT_EQ(violation(problem, {{{0, 4}}, {{0, 2}}}), "system 0 has too few cores");
    EXPECT_EQ(violation(problem, {{{0, 4}}, {}}), "application 1 is dropped and would fit");
    EXPECT_EQ(violation(problem, {{{0, 4}}, {{1, 1}, {1, 1}}}), "application 1 has odd parts");
}

TEST(Placement, ConstraintsHold) {
    EXPECT_TRUE(holds("the constraints", [] {
        const int systems = *rc::gen::inRange(1, 10), applications = *rc::gen::inRange(1, 9);
        const Problem problem = random_placement(*rc::gen::arbitrary<std::uint32_t>(), systems, applications);
        const Plan plan = place(problem);
        RC_ASSERT(violation(problem, plan) == "");
        RC_ASSERT(place(problem) == plan);
    }));
}

TEST(Placement, AnAgedApplicationIsNeverDroppedForOneOfLess) {
    EXPECT_TRUE(holds("who is dropped", [] {
        const Problem problem = random_placement(*rc::gen::arbitrary<std::uint32_t>(), 4, 6);
        const Plan plan = place(problem);
        const auto rank = [&](std::size_t a) {
            return problem.applications[a].priority + problem.ageing * problem.applications[a].age;
        };
        // Beside all that are worth as much or more, a dropped one has no room.
        std::int64_t cores = 0;
        for (const System& system : problem.systems) cores += system.cores;
        for (std::size_t a = 0; a < plan.size(); ++a) {
            if (!plan[a].empty()) continue;
            std::int64_t before = 0;
            for (std::size_t b = 0; b < plan.size(); ++b)
                if (!plan[b].empty() && rank(b) >= rank(a)) before += problem.applications[b].ranks;
            RC_ASSERT(before + problem.applications[a].ranks > cores);
        }
    }));
}

TEST(Placement, NothingMovesOnceItIsPlacedWhereMovesAreDear) {
    EXPECT_TRUE(holds("a plan that was carried out stays", [] {
        Problem problem = random_placement(*rc::gen::arbitrary<std::uint32_t>(), 5, 6);
        const Plan plan = place(problem);
        problem = after(std::move(problem), plan);
        std::erase_if(problem.applications, [](const Application& a) { return a.now.empty(); });
        for (Application& a : problem.applications) a.move = 1000;
        const Plan again = place(problem);
        for (std::size_t a = 0; a < again.size(); ++a) RC_ASSERT(moved(problem.applications[a], again[a]) == 0);
    }));
}

TEST(Placement, AThousandApplicationsOnAThousandSystems) {
    const Problem problem = random_placement(7, 1000, 1000);
    const Plan plan = place(problem);
    EXPECT_EQ(violation(problem, plan), "");
}

}  // namespace
