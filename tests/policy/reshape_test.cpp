// SPDX-License-Identifier: BSD-3-Clause
// reshape_test.cpp - legal sizes, profiles, strategies and scenarios of ReSHAPE.
#include <cmath>

#include "policy/resize/scenarios.hpp"
#include "property.hpp"

namespace {

using namespace drom::policy;
using namespace drom::test;

std::vector<int> sizes_from(const LegalSizes& sizes, int start, std::size_t count) {
    std::vector<int> all{start};
    while (all.size() < count) {
        const auto next = sizes.next(all.back());
        if (!next) break;
        all.push_back(*next);
    }
    return all;
}

TEST(LegalSizes, OfLuFollowTheDivisorsOfItsBlocks) {
    const LegalSizes lu{SizeLaw::kNearSquare, 1, 60};
    EXPECT_EQ(sizes_from(lu, 2 * 2, 6), (std::vector<int>{2 * 2, 2 * 3, 3 * 3, 3 * 4, 4 * 4, 4 * 5}));
}

TEST(LegalSizes, OfTheProductFollowTheDivisorsOfItsBlocks) {
    const LegalSizes product{SizeLaw::kNearSquare, 1, 140};
    EXPECT_EQ(sizes_from(product, 2 * 2, 7), (std::vector<int>{2 * 2, 2 * 4, 4 * 4, 4 * 5, 5 * 5, 5 * 7, 7 * 7}));
}

TEST(LegalSizes, OfAGridOfAnyDimensionsGrowByItsLargerSide) {
    EXPECT_EQ(sizes_from({SizeLaw::kNearSquare}, 35, 4), (std::vector<int>{35, 42, 49, 56}));
    EXPECT_EQ(LegalSizes{SizeLaw::kNearSquare}.next(136), 9 * 17);
}

TEST(LegalSizes, StopAtTheLargest) {
    LegalSizes doubling{SizeLaw::kPowerOfTwo};
    doubling.max = 64;
    EXPECT_EQ(sizes_from(doubling, 8, 9), (std::vector<int>{8, 16, 32, 64}));
    EXPECT_EQ((LegalSizes{SizeLaw::kNearSquare, 1, 4}.next(16)), std::nullopt) << "4 blocks fill no larger grid";
    EXPECT_EQ((LegalSizes{SizeLaw::kStep, 10}.largest_within(35, 59)), 55);
}

TEST(LegalSizes, OfCannonNeedTheCoresOfALargerSquare) {
    LegalSizes cannon{SizeLaw::kSquareOfCores};
    cannon.cores_per_node = 16;
    EXPECT_EQ(cannon.largest_within(28, 30), 28) << "480 cores hold the same 21 x 21 processes as 448";
    EXPECT_EQ(cannon.largest_within(28, 31), 31) << "496 cores hold 22 x 22";
}

// ---- profile -----------------------------------------------------------------------------------------------------

const std::vector<Visit> kTable23 = {{20, 54.99}, {25, 46.59}, {64, 33.73}};

TEST(Profile, ThesisEstimatorPromisesALossWhereTheCurveStillRises) {
    EXPECT_NEAR(expand_potential(kTable23, Estimator::kThesis), -0.204, 0.001);
    EXPECT_GT(expand_potential(kTable23, Estimator::kMonotone), 0);
}

TEST(Profile, PotentialOfTwoSizesIsTheSlopeOfTheLine) {
    for (const Estimator estimator : {Estimator::kThesis, Estimator::kMonotone})
        EXPECT_NEAR(expand_potential(std::vector<Visit>{{10, 12}, {20, 8}}, estimator), 0.5, 1e-12);
}

TEST(Profile, PotentialIsNotKnownBeforeTwoSizesAreMeasured) {
    EXPECT_TRUE(std::isinf(expand_potential(std::vector<Visit>{{10, 12}, {20, 0}}, Estimator::kThesis)));
}

TEST(Profile, PotentialOfAPerfectProgramIsOneAndOfASaturatedOneNothing) {
    const std::vector<Visit> perfect = {{10, 12}, {20, 6}, {30, 4}, {40, 3}};
    EXPECT_NEAR(expand_potential(perfect, Estimator::kMonotone), 1, 1e-9);
    const std::vector<Visit> saturated = {{10, 12}, {20, 6}, {30, 6}, {40, 6}};
    EXPECT_NEAR(expand_potential(saturated, Estimator::kMonotone), 0, 1e-9);
}

TEST(Profile, MonotonePotentialFindsTheSerialShareOfAmdahl) {
    std::vector<Visit> visits;
    for (const int size : {4, 6, 9, 12}) visits.push_back({size, 10 * (0.1 + 0.9 / (size / 4.0))});
    const double time = 0.1 * 3 + 0.9;
    EXPECT_NEAR(expand_potential(visits, Estimator::kMonotone), 0.9 / (time * time), 1e-9);
}

TEST(Profile, MonotonePotentialIsNeverALoss) {
    EXPECT_TRUE(holds("a slope in [0, 1]", [] {
        std::vector<Visit> visits;
        int size = *rc::gen::inRange(1, 20);
        for (int i = *rc::gen::inRange(3, 7); i > 0; --i) {
            visits.push_back({size, *rc::gen::inRange(1, 1000) / 10.0});
            size += *rc::gen::inRange(1, 30);
        }
        const double slope = expand_potential(visits, Estimator::kMonotone);
        RC_ASSERT(slope >= 0 && slope <= 1);
    }));
}

Profile grown(std::vector<Visit> visits) {
    Profile profile(visits.front().size);
    for (const Visit& visit : visits) {
        if (visit.size > profile.size()) profile.expanded(visit.size);
        profile.measured(visit.seconds);
    }
    return profile;
}

TEST(Profile, ContractsToTheLargestVisitedSizeThatSuffices) {
    Profile profile = grown({{10, 8}, {20, 5}, {30, 4}, {40, 3.5}});
    EXPECT_EQ(profile.largest_that_frees(15), 20);
    EXPECT_EQ(profile.largest_that_frees(99), 10);
    EXPECT_NEAR(profile.damage_of_contraction(), 4 / 3.5 - 1, 1e-12);
    profile.contracted(20);
    EXPECT_EQ(profile.size(), 20);
    EXPECT_EQ(profile.previous(), 10);
    EXPECT_EQ(profile.resizes(), 4);
}

TEST(Profile, GrowthIsUselessWhenIterationsDoNotBecomeShorter) {
    EXPECT_FALSE(grown({{10, 8}, {20, 7.9}}).growth_was_useless(0));
    EXPECT_TRUE(grown({{10, 8}, {20, 7.9}}).growth_was_useless(0.02));
    EXPECT_TRUE(grown({{10, 8}, {20, 8}}).growth_was_useless(0));
    EXPECT_FALSE(grown({{10, 8}, {20, 0}}).growth_was_useless(0)) << "not measured yet";
}

// ---- strategies --------------------------------------------------------------------------------------------------

ResizableJob job_of(JobId id, std::vector<Visit> visits, double next_point = 100, JobClass rank = JobClass::kGold) {
    ResizableJob job;
    job.id = id;
    job.rank = rank;
    job.sizes = {SizeLaw::kStep, 10};
    job.profile = grown(std::move(visits));
    job.next_point = next_point;
    return job;
}

/// Returns a job that grows well: potential 0.8.
ResizableJob good(JobId id, double next_point = 100, JobClass rank = JobClass::kGold) {
    return job_of(id, {{10, 9}, {20, 5}}, next_point, rank);
}

/// Returns a job that grows badly: potential 0.25.
ResizableJob poor(JobId id, double next_point = 100, JobClass rank = JobClass::kGold) {
    return job_of(id, {{10, 5}, {20, 4}}, next_point, rank);
}

const ResizeRules kRules;

TEST(MaxBenefit, ReservesWhatBetterJobsNeedBeforeItsOwnNextPoint) {
    const std::vector<ResizableJob> running = {poor(1, 100), good(2, 50)};
    EXPECT_EQ(allocate(Allocation::kMaxBenefit, {running, 0, 19, {}}, kRules), std::nullopt);
    EXPECT_EQ(allocate(Allocation::kMaxBenefit, {running, 0, 20, {}}, kRules), 30);
    EXPECT_EQ(allocate(Allocation::kMaxBenefit, {running, 1, 10, {}}, kRules), 30) << "the best needs no more";
    const std::vector<ResizableJob> later = {poor(1, 100), good(2, 150)};
    EXPECT_EQ(allocate(Allocation::kMaxBenefit, {later, 0, 10, {}}, kRules), 30);
}

TEST(MaxBenefit, RefusesBelowTheThresholdOnceThePotentialIsKnown) {
    const std::vector<ResizableJob> known = {job_of(1, {{10, 8}, {20, 5}, {30, 4.5}, {40, 4.4}})};
    EXPECT_EQ(allocate(Allocation::kMaxBenefit, {known, 0, 99, {}}, kRules), std::nullopt);
    ResizeRules patient = kRules;
    patient.remap_window = 9;
    EXPECT_EQ(allocate(Allocation::kMaxBenefit, {known, 0, 99, {}}, patient), 50);
}

TEST(MaxBenefitPriority, ReservesForHigherClassesWhenever) {
    const std::vector<ResizableJob> running = {good(1, 10), poor(2, 500, JobClass::kPlatinum)};
    EXPECT_EQ(allocate(Allocation::kMaxBenefitPriority, {running, 0, 19, {}}, kRules), std::nullopt);
    EXPECT_EQ(allocate(Allocation::kMaxBenefitPriority, {running, 0, 20, {}}, kRules), 30);
    EXPECT_EQ(allocate(Allocation::kMaxBenefitPriority, {running, 1, 10, {}}, kRules), 30);
    EXPECT_EQ(allocate(Allocation::kMaxBenefit, {running, 0, 10, {}}, kRules), 30);
}

TEST(UniformExpand, WaitsUntilAllCouldExpand) {
    const std::vector<ResizableJob> running = {good(1), poor(2), good(3)};
    EXPECT_EQ(allocate(Allocation::kUniformExpand, {running, 0, 29, {}}, kRules), std::nullopt);
    EXPECT_EQ(allocate(Allocation::kUniformExpand, {running, 0, 30, {}}, kRules), 30);
    EXPECT_EQ(allocate(Allocation::kFcfsExpand, {running, 0, 10, {}}, kRules), 30);
    EXPECT_EQ(allocate(Allocation::kFcfsExpand, {running, 0, 9, {}}, kRules), std::nullopt);
}

TEST(LeastImpact, TakesFromThoseThatLoseLeast) {
    const std::vector<ResizableJob> running = {good(1), poor(2)};
    EXPECT_EQ(harvest(Harvest::kLeastImpact, {running, 0, 0, Head{10}}), std::nullopt) << "the other covers it";
    EXPECT_EQ(harvest(Harvest::kLeastImpact, {running, 1, 0, Head{10}}), 10);
    EXPECT_EQ(harvest(Harvest::kLeastImpact, {running, 0, 0, Head{11}}), 10) << "both are needed";
    EXPECT_EQ(harvest(Harvest::kLeastImpact, {running, 1, 10, Head{10}}), std::nullopt) << "nothing lacks";
    EXPECT_EQ(harvest(Harvest::kLeastImpact, {running, 1, 0, {}}), std::nullopt) << "no job waits";
}

TEST(LeastImpactPriority, TakesFromLowClassesFirstAndNeverFromAHigherOne) {
    const std::vector<ResizableJob> running = {good(1), poor(2, 100, JobClass::kPlatinum)};
    const Head platinum{11, JobClass::kPlatinum}, gold{11, JobClass::kGold};
    EXPECT_EQ(harvest(Harvest::kLeastImpactPriority, {running, 0, 0, Head{10, JobClass::kPlatinum}}), 10);
    EXPECT_EQ(harvest(Harvest::kLeastImpactPriority, {running, 1, 0, Head{10, JobClass::kPlatinum}}), std::nullopt);
    EXPECT_EQ(harvest(Harvest::kLeastImpactPriority, {running, 1, 0, platinum}), 10);
    EXPECT_EQ(harvest(Harvest::kLeastImpactPriority, {running, 1, 0, gold}), std::nullopt);
    EXPECT_EQ(harvest(Harvest::kFcfsContractPriority, {running, 1, 0, gold}), std::nullopt);
    EXPECT_EQ(harvest(Harvest::kFcfsContractPriority, {running, 1, 0, platinum}), 10);
    EXPECT_EQ(harvest(Harvest::kFcfsContractPriority, {running, 0, 0, gold}), 10);
}

TEST(FairContract, NoJobIsShrunkTwiceInARound) {
    EXPECT_TRUE(holds("each shrinks once before any shrinks again", [] {
        std::vector<ResizableJob> running;
        for (int i = *rc::gen::inRange(1, 7); i > 0; --i)
            running.push_back(job_of(i, {{10, 9}, {20, 5}, {30, 4}, {40, 3}, {50, 2.5}}));
        std::vector<int> shrinks(running.size(), 0);
        for (int step = 0; step < 60; ++step) {
            const auto at = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(running.size())));
            const auto size = harvest(Harvest::kFairContract, {running, at, 0, Head{*rc::gen::inRange(1, 15)}});
            if (!size) continue;
            apply({*size, ResizeReason::kHarvest}, running, at, step);
            ++shrinks[at];
            for (std::size_t i = 0; i < running.size(); ++i)
                if (running[i].above_start()) RC_ASSERT(shrinks[i] + 1 >= shrinks[at]);
        }
    }));
}

// ---- scenarios ---------------------------------------------------------------------------------------------------

TEST(Scenario, HasANameAndIsFoundByIt) {
    EXPECT_EQ(scenarios().size(), 9U) << "eight, and static";
    for (const Scenario& scenario : scenarios()) EXPECT_EQ(scenario_named(scenario.name), &scenario);
    EXPECT_EQ(scenario_named("best"), nullptr);
    EXPECT_TRUE(scenario_named("max-b")->favours_running());
    EXPECT_FALSE(scenario_named("pba")->favours_running());
}

TEST(Scenario, UndoesUselessGrowthAndMarksTheSweetSpot) {
    std::vector<ResizableJob> running = {job_of(1, {{10, 5}, {20, 6}})};
    const Proposal proposal = before_starts(*scenario_named("max-b"), {running, 0, 99, {}}, kRules);
    EXPECT_EQ(proposal.size, 10);
    EXPECT_EQ(proposal.reason, ResizeReason::kUndo);
    apply(proposal, running, 0, 100);
    const Proposal next = before_starts(*scenario_named("max-b"), {running, 0, 99, {}}, kRules);
    EXPECT_EQ(next.reason, ResizeReason::kSweetSpot);
    EXPECT_EQ(next.size, 10);
}

// ReSHAPE undoes a useless growth and keeps the size; what a program does later may scale better.
TEST(Scenario, LetsAJobGrowAgainTenMinutesAfterItsSweetSpot) {
    std::vector<ResizableJob> running = {job_of(1, {{10, 5}, {20, 6}})};
    const Scenario& scenario = *scenario_named("max-b");
    apply(before_starts(scenario, {running, 0, 99, {}}, kRules), running, 0, 1000);
    lift_marks(running, kRules, 1599);
    EXPECT_EQ(before_starts(scenario, {running, 0, 99, {}}, kRules).reason, ResizeReason::kSweetSpot);
    lift_marks(running, kRules, 1600);
    EXPECT_EQ(before_starts(scenario, {running, 0, 99, {}}, kRules).size, 20);
    ResizeRules lasting = kRules;
    lasting.sweet_spot = kNever;
    std::vector<ResizableJob> marked = {job_of(1, {{10, 5}, {20, 6}})};
    apply(before_starts(scenario, {marked, 0, 99, {}}, lasting), marked, 0, 0);
    lift_marks(marked, lasting, 1'000'000'000);
    EXPECT_EQ(before_starts(scenario, {marked, 0, 99, {}}, lasting).reason, ResizeReason::kSweetSpot);
}

TEST(Scenario, FavoursTheQueueOrTheRunningJobs) {
    const std::vector<ResizableJob> running = {good(1)};
    const ResizeView waits{running, 0, 15, Head{20}};
    EXPECT_EQ(before_starts(*scenario_named("pba-q"), waits, kRules).reason, ResizeReason::kHarvest);
    EXPECT_EQ(before_starts(*scenario_named("greedy-r"), waits, kRules).reason, ResizeReason::kExpand);
    const ResizeView empty{running, 0, 15, {}};
    const Proposal first = before_starts(*scenario_named("pba-q"), empty, kRules);
    EXPECT_EQ(first.reason, ResizeReason::kKeep);
    EXPECT_EQ(after_starts(*scenario_named("pba-q"), empty, kRules, first).reason, ResizeReason::kExpand);
    const Proposal harvested{10, ResizeReason::kHarvest}, undone{10, ResizeReason::kUndo};
    EXPECT_EQ(after_starts(*scenario_named("pba-q"), empty, kRules, harvested).reason, ResizeReason::kExpand)
        << "nodes that are idle after the starts";
    EXPECT_EQ(after_starts(*scenario_named("pba-q"), empty, kRules, undone).reason, ResizeReason::kKeep);
}

TEST(Scenario, ConservesNodesAndNeverGrowsPastAMark) {
    EXPECT_TRUE(holds("sizes within limits, nodes conserved", [] {
        const Scenario& scenario = scenarios()[static_cast<std::size_t>(*rc::gen::inRange(0, 9))];
        std::vector<ResizableJob> running;
        int idle = *rc::gen::inRange(0, 40);
        for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
            running.push_back(job_of(i, {{*rc::gen::inRange(1, 20), 9}}, *rc::gen::inRange(1, 100)));
            running.back().rank = *rc::gen::element(JobClass::kGold, JobClass::kPlatinum);
            running.back().sizes.min = running.back().size();
            running.back().sizes.max = *rc::gen::inRange(20, 60);
        }
        for (int step = 0; step < 40; ++step) {
            const auto at = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(running.size())));
            ResizableJob& job = running[at];
            const bool marked = job.at_sweet_spot;
            const int before = job.size();
            job.profile.measured(*rc::gen::inRange(1, 100) / 10.0);
            std::optional<Head> head;
            if (*rc::gen::arbitrary<bool>()) head = Head{*rc::gen::inRange(1, 50), JobClass::kGold};
            Proposal proposal = before_starts(scenario, {running, at, idle, head}, kRules);
            apply(proposal, running, at, step);
            idle -= job.size() - before;
            const int between = job.size();
            proposal = after_starts(scenario, {running, at, idle, head}, kRules, proposal);
            apply(proposal, running, at, step);
            idle -= job.size() - between;
            RC_ASSERT(idle >= 0);
            RC_ASSERT(job.size() >= job.sizes.min);
            RC_ASSERT(job.size() <= std::max(job.sizes.max, job.profile.start()));
            if (marked) RC_ASSERT(job.size() <= before);
        }
    }));
}

TEST(QueuePriority, IsOfTheWaitOverTheTimeAskedFor) {
    EXPECT_DOUBLE_EQ(queue_priority({}, 120, 60, 240, 35), 1.5);
    EXPECT_DOUBLE_EQ(queue_priority({}, 120, 480, 240, 35), 1.25);
    EXPECT_DOUBLE_EQ(queue_priority({0, 2, 3}, 120, 60, 240, 35), 240 + 105);
}

}  // namespace
