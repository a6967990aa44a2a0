// SPDX-License-Identifier: BSD-3-Clause
// random_test.cpp - the draws follow their laws, and the test that says so can say no. Alpha is 0.01; the seeds are
// fixed.
#include "workload/models/random.hpp"

#include <gtest/gtest.h>

#include "ks.hpp"

namespace drom::sim {
namespace {

using test::ks_distance;
using test::ks_distance_from;
using test::ks_limit;

constexpr double kAlpha = 0.01;
constexpr std::size_t kDraws = 100'000;

template <class Draw>
std::vector<double> draws(const Draw& draw, std::size_t n = kDraws) {
    std::vector<double> values(n);
    for (double& value : values) value = draw();
    return values;
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(Random, LogarithmAndExponentialAreTheStandardOnesUpToTheLastDigits) {
    Random random(1);
    for (int i = 0; i < 100'000; ++i) {
        const double x = std::exp(random.uniform(-600, 600)), y = random.uniform(-600, 600);
        ASSERT_NEAR(log_exactly(x) / std::log(x), 1, 2e-15) << x;
        ASSERT_NEAR(log_exactly(1 + y * 1e-12) / std::log(1 + y * 1e-12), 1, 2e-15) << y;
        ASSERT_NEAR(exp_exactly(y) / std::exp(y), 1, 2e-15) << y;
        ASSERT_NEAR(exp2_exactly(y) / std::exp2(y), 1, 2e-15) << y;
    }
    EXPECT_EQ(log_exactly(1), 0);
    for (int i = -300; i <= 300; ++i) EXPECT_EQ(exp2_exactly(i), std::ldexp(1, i));
}

TEST(Random, FollowsItsLaws) {
    Random random(2);
    EXPECT_LT(ks_distance_from(draws([&] { return random.uniform(); }), [](double x) { return x; }),
              ks_limit(kAlpha, kDraws));
    EXPECT_LT(ks_distance_from(draws([&] { return random.normal(); }), normal_distribution), ks_limit(kAlpha, kDraws));
    // Gamma of shape 1 is the exponential law; of shape 1/2 and scale 2, the square of a normal draw; of shape 3, three
    // exponentials.
    EXPECT_LT(
        ks_distance_from(draws([&] { return random.gamma(1, 5); }), [](double x) { return 1 - std::exp(-x / 5); }),
        ks_limit(kAlpha, kDraws));
    EXPECT_LT(ks_distance_from(draws([&] { return random.gamma(0.5, 2); }),
                               [](double x) { return 2 * normal_distribution(std::sqrt(x)) - 1; }),
              ks_limit(kAlpha, kDraws));
    EXPECT_LT(ks_distance_from(draws([&] { return random.gamma(3, 1); }),
                               [](double x) { return 1 - std::exp(-x) * (1 + x + x * x / 2); }),
              ks_limit(kAlpha, kDraws));
    EXPECT_LT(ks_distance_from(draws([&] { return random.uniform_log(0.1, -0.75); }),
                               [](double x) { return 0.1 * std::log2(x) - 0.75; }),
              ks_limit(kAlpha, kDraws));
}

TEST(Random, TheTestRejectsLawsThatAreNearlyRight) {
    Random random(3);
    EXPECT_GT(ks_distance_from(draws([&] { return random.normal() * 1.05; }), normal_distribution),
              ks_limit(kAlpha, kDraws));
    EXPECT_GT(
        ks_distance_from(draws([&] { return random.gamma(1.05, 5); }), [](double x) { return 1 - std::exp(-x / 5); }),
        ks_limit(kAlpha, kDraws));
    const auto right = draws([&] { return random.gamma(0.6, 1); }),
               wrong = draws([&] { return random.gamma(0.65, 0.6 / 0.65); });
    EXPECT_GT(ks_distance(right, wrong), ks_limit(kAlpha, kDraws, kDraws));
    EXPECT_LT(ks_distance(right, draws([&] { return random.gamma(0.6, 1); })), ks_limit(kAlpha, kDraws, kDraws));
}

/// Of 1000 pairs of samples of one law, about alpha are rejected: the limit is neither too wide nor too narrow.
TEST(Random, TheTestErrsAsOftenAsAlphaSays) {
    Random random(4);
    int rejected = 0;
    constexpr int kPairs = 1000;
    for (int i = 0; i < kPairs; ++i) {
        const auto a = draws([&] { return random.uniform(); }, 100), b = draws([&] { return random.uniform(); }, 300);
        rejected += ks_distance(a, b) > ks_limit(0.1, 100, 300) ? 1 : 0;
    }
    EXPECT_GT(rejected, 50);
    EXPECT_LT(rejected, 130);
}

TEST(Random, AccuracyLawOfCirneAndBerman) {
    Random random(5);
    const auto values = draws([&] { return std::clamp(random.gamma(0.6, 1 / 0.6), 1e-5, 1.0); }, 400'000);
    EXPECT_NEAR(test::mean(values), 0.547, 0.003);
    EXPECT_NEAR(test::share(values, [](double a) { return a == 1; }), 0.331, 0.004);
    EXPECT_NEAR(test::share(values, [](double a) { return a < 0.1; }), 0.203, 0.003);
}

TEST(Random, TheSameSeedGivesTheSameDraws) {
    Random one(6), same(6), other(7);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(one.gamma(0.6, 2), same.gamma(0.6, 2));
        ASSERT_EQ(one.normal(), same.normal());
    }
    EXPECT_NE(one.uniform(), other.uniform());
    // To the bit, on every machine.
    Random pinned(42);
    EXPECT_EQ(pinned.uniform(), 0x1.82a3befaddcbcp-1);
    EXPECT_EQ(pinned.normal(), 0x1.6f501e1f0411cp-1);
    EXPECT_EQ(pinned.gamma(0.6, 1 / 0.6), 0x1.f374da606ef59p+1);
}

}  // namespace
}  // namespace drom::sim
