// SPDX-License-Identifier: BSD-3-Clause
// budgets_test.cpp - limits on resources times minutes.
#include <gtest/gtest.h>

#include "policy/cluster/budgets.hpp"

namespace {

using namespace drom::policy;

// CPUs and memory.
Consumption job(std::uint64_t cpus, std::uint64_t minutes, std::uint64_t more) { return {{cpus, 1000}, minutes, more}; }
Budget of_each(std::uint64_t cpu_minutes) { return {"", {cpu_minutes, kUnlimited}, true, {}, 1}; }
Budget of_all(std::uint64_t cpu_minutes, std::uint64_t taken, double factor = 1) {
    return {"", {cpu_minutes, kUnlimited}, false, {taken, 123456}, factor};
}

TEST(Budgets, AJobThatWasWithinItsLimitIsNotWhenItIsExtended) {
    const Consumption before = job(32, 2, 0), after = job(32, 3, 1);
    EXPECT_FALSE(exhausted(of_each(64), before, {before})) << "Slurm started it";
    EXPECT_EQ(exhausted(of_each(64), after, {after}), 0U);
    EXPECT_FALSE(exhausted(of_each(96), after, {after}));
}

TEST(Budgets, AnAccountPaysForGuestAndMatesTogether) {
    const Consumption mate = job(32, 11, 1), guest = job(32, 2, 2);
    EXPECT_FALSE(exhausted(of_all(500, 400), mate, {mate, guest})) << "400 and 96";
    EXPECT_EQ(exhausted(of_all(490, 400), mate, {mate, guest}), 0U);
    EXPECT_EQ(exhausted(of_all(496, 400), mate, {mate, guest}), 0U) << "Slurm ends jobs when the limit is reached";
    EXPECT_FALSE(exhausted(of_all(490, 400), mate, {mate}));
}

TEST(Budgets, AFactorMakesUsageDearerButNeverCheaper) {
    const Consumption mate = job(32, 11, 1);
    EXPECT_FALSE(exhausted(of_all(450, 400), mate, {mate}));
    EXPECT_EQ(exhausted(of_all(450, 400, 2), mate, {mate}), 0U);
    EXPECT_FALSE(exhausted(of_all(433, 400, 0.1), mate, {mate}));
    EXPECT_EQ(exhausted(of_all(432, 400, 0.1), mate, {mate}), 0U);
}

TEST(Budgets, WhatAJobDoesNotUseIsNoLimitForIt) {
    const Consumption none = job(0, 100, 100);
    EXPECT_FALSE(exhausted(of_each(1), none, {none}));
    EXPECT_FALSE(exhausted(of_all(1, 5), none, {none}));
}

TEST(Budgets, LargeAmountsForYearsDoNotOverflow) {
    const Consumption large = job(std::uint64_t{1} << 40, std::uint64_t{1} << 30, std::uint64_t{1} << 30);
    EXPECT_EQ(exhausted(of_each(kUnlimited - 1), large, {large}), 0U);
    EXPECT_EQ(exhausted(of_all(kUnlimited - 1, kUnlimited - 2), large, {large}), 0U);
}

TEST(Budgets, NothingIsReachedWhereNothingIsLimited) {
    const Consumption mate = job(32, 11, 1);
    EXPECT_FALSE(exhausted({"", {kUnlimited, kUnlimited}, false, {kUnlimited, kUnlimited}, 1}, mate, {mate}));
    EXPECT_FALSE(exhausted({}, mate, {mate}));
}

}  // namespace
