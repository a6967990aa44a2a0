// SPDX-License-Identifier: BSD-3-Clause
// locality_test.cpp - which of two contradicting rules decides; which jobs change least; which cases are too large to
// be searched.
#include "partition/locality.hpp"

#include "node.hpp"
#include "partition/distribution.hpp"

namespace {

using namespace drom;
using namespace drom::test;
using partition::kStays;
using partition::Packing;
using partition::Piece;

/// Cores with one CPU each: the number of its job, or -1 if it is free. Cores of one inner list share an L3.
using Caches = std::vector<std::vector<int>>;

Packing describe(const std::vector<Caches>& packages, uint32_t jobs) {
    Packing wish;
    uint16_t core = 0, l3 = 0, package = 0;
    for (const Caches& caches : packages) {
        for (const std::vector<int>& cache : caches) {
            for (const int job : cache) {
                Piece piece{{core++, l3, package, package}, 1, std::vector<uint32_t>(jobs, 0), {jobs - 1}, 0, core};
                if (job >= 0) piece.has[static_cast<size_t>(job)] = 1;
                wish.pieces.push_back(piece);
            }
            ++l3;
        }
        ++package;
    }
    return wish;
}

std::vector<uint32_t> moved(const Packing& wish) {
    const auto takers = pack(wish);
    EXPECT_TRUE(takers.has_value());
    std::vector<uint32_t> pieces;
    for (uint32_t i = 0; takers && i < takers->size(); ++i)
        if ((*takers)[i] != kStays) pieces.push_back(i);
    return pieces;
}

TEST(Packing, APackageOfOnesOwnComesBeforeAnL3OfOnesOwn) {
    // If the newcomer takes a whole L3 of job 0, two jobs share that package. If it takes the cores of jobs 1 and 2,
    // two jobs share an L3, and job 2 leaves the package.
    Packing wish = describe({{{0, 0}, {0, 0}}, {{1, 1}, {2}}, {{2, 2}}}, 4);
    wish.jobs = {{4, 2, 4, 100}, {2, 1, 2, 100}, {3, 2, 3, 100}, {0, 2, 2, 2}};
    EXPECT_EQ(moved(wish), (std::vector<uint32_t>{4, 6}));
    // If the other job of the package cannot leave it, the L3 decides.
    wish.jobs[2].min_cpus = 3;
    EXPECT_EQ(moved(wish), (std::vector<uint32_t>{0, 1}));
}

TEST(Packing, AnL3OfOnesOwnComesBeforeEqualShares) {
    Packing wish = describe({{{0, 0}, {0, 0}, {0, 0}}}, 2);
    wish.jobs = {{6, 3, 6, 100}, {0, 1, 6, 6}};
    EXPECT_EQ(moved(wish).size(), 2U);
}

TEST(Packing, EqualSharesComeBeforeBeingTogether) {
    Packing wish = describe({{{-1, -1}, {-1, -1}}, {{-1, -1}, {-1, -1}}}, 1);
    wish.jobs = {{0, 1, 6, 6}};
    EXPECT_EQ(moved(wish).size(), 6U);
    wish.jobs = {{0, 1, 4, 4}};
    EXPECT_EQ(moved(wish), (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST(Packing, WhatIsImpossibleIsNotDone) {
    Packing wish = describe({{{0, 0}, {0, 0}}}, 2);
    wish.jobs = {{4, 2, 4, 100}, {0, 3, 3, 3}};
    EXPECT_FALSE(pack(wish).has_value());
    EXPECT_FALSE(in_turn(wish, 1).has_value());
    wish.jobs[1] = {0, 2, 2, 2};
    EXPECT_TRUE(pack(wish).has_value());
    EXPECT_TRUE(in_turn(wish, 1).has_value());
}

TEST(Packing, InTurnTakesFreePiecesThenOfTheRichest) {
    Packing wish = describe({{{0, 0, 0, 0}, {1, 1, -1}}}, 3);
    wish.jobs = {{4, 1, 4, 100}, {2, 1, 2, 100}, {0, 3, 3, 3}};
    const auto takers = in_turn(wish, 2);
    ASSERT_TRUE(takers.has_value());
    EXPECT_EQ(*takers, (std::vector<uint32_t>{2, 2, kStays, kStays, kStays, kStays, 2}));
}

TEST(Packing, MoreStatesThanAreKeptStillKeepAllBounds) {
    // Five jobs have two CPUs in each of 12 L3s, and a newcomer needs nearly all CPUs that they may lose.
    std::vector<Caches> packages(2);
    for (size_t i = 0; i < 12; ++i) packages[i / 6].push_back({0, 0, 1, 1, 2, 2, 3, 3, 4, 4});
    Packing wish = describe(packages, 6);
    for (size_t job = 0; job < 5; ++job) wish.jobs.push_back({24, 12, 24, 1000});
    wish.jobs.push_back({0, 58, 60, 60});
    auto takers = pack(wish);
    if (!takers) takers = in_turn(wish, 5);
    ASSERT_TRUE(takers.has_value());
    std::vector<uint32_t> lost(6, 0);
    uint32_t gained = 0;
    for (size_t i = 0; i < takers->size(); ++i) {
        if ((*takers)[i] == kStays) continue;
        ++gained;
        for (size_t job = 0; job < 5; ++job) lost[job] += wish.pieces[i].has[job];
    }
    EXPECT_GE(gained, 58U);
    EXPECT_LE(gained, 60U);
    for (size_t job = 0; job < 5; ++job) EXPECT_LE(lost[job], 12U);
}

std::string divided(const Topology& machine, const char* pool, const std::vector<const char*>& homes) {
    std::vector<partition::Task> tasks;
    for (const char* home : homes) tasks.push_back({cpus(home), 1, 1, UINT32_MAX});
    std::string masks;
    for (const CpuSet& mask : partition::distribute(machine, cpus(pool), tasks))
        masks += (masks.empty() ? "" : " ") + text(mask);
    return masks;
}

TEST(Division, WhoKeepsSomeChoosesBeforeWhoKeepsNothing) {
    EXPECT_EQ(divided(synthetic("package:2 core:4 pu:1"), "0-7", {"", "0"}), "4-7 0-3");
}

TEST(Division, WhatIsGivenUpIsFarFromWhatIsKept) {
    EXPECT_EQ(divided(synthetic("package:2 core:4 pu:1"), "0-7", {"0-2,4-6", ""}), "0-2,4 3,5-7");
    EXPECT_EQ(divided(synthetic("package:2 core:2 pu:2"), "0-7", {"0-3,6-7", ""}), "0-3 4-7");
}

TEST(Division, WholeCoresWhereTheNumbersAllow) {
    EXPECT_EQ(divided(synthetic("core:4 pu:2"), "0-7", {"", ""}), "0-3 4-7");
    EXPECT_EQ(divided(synthetic("core:4 pu:2"), "0-7", {"0-1", "2-3", "", ""}), "0-1 2-3 4-5 6-7");
}

}  // namespace
