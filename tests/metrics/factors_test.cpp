// SPDX-License-Identifier: BSD-3-Clause
// factors_test.cpp - the products of the factors are identities, whatever a program did; and cases with known answers.
#include "metrics/factors.hpp"

#include <gtest/gtest.h>

#include "metrics/loss.hpp"
#include "random_program.hpp"

namespace drom::metrics {

namespace {

constexpr int kCases = 20'000;
constexpr double kRounding = 1e-9;

void expect_share(double value, const char* name) {
    EXPECT_GE(value, -kRounding) << name;
    EXPECT_LE(value, 1 + kRounding) << name;
}

void expect_identities(const Factors& f) {
    EXPECT_NEAR(f.parallel_efficiency, f.mpi_parallel_efficiency * f.openmp_parallel_efficiency, kRounding);
    EXPECT_NEAR(f.mpi_parallel_efficiency, f.mpi_communication * f.mpi_load_balance, kRounding);
    EXPECT_NEAR(f.mpi_load_balance, f.mpi_load_balance_within_nodes * f.mpi_load_balance_between_nodes, kRounding);
    EXPECT_NEAR(f.openmp_parallel_efficiency, f.openmp_serialization * f.openmp_load_balance * f.openmp_scheduling,
                kRounding);
}

Share computes(size_t node, double useful, double window, double cpus = 1) {
    return {node, budget_of({window, cpus, {{useful, window - useful, 0}}})};
}

}  // namespace

TEST(Identities, HoldForRandomPrograms) {
    test::RandomProgram random(1);
    for (int i = 0; i < kCases && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const auto program = random.program();
        expect_identities(factors_of(program));
    }
}

TEST(Identities, EachFactorIsAShare) {
    test::RandomProgram random(2);
    for (int i = 0; i < kCases && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const Factors f = factors_of(random.program());
        expect_share(f.parallel_efficiency, "parallel efficiency");
        expect_share(f.mpi_parallel_efficiency, "MPI");
        expect_share(f.mpi_communication, "communication");
        expect_share(f.mpi_load_balance, "load balance");
        expect_share(f.mpi_load_balance_within_nodes, "within nodes");
        expect_share(f.mpi_load_balance_between_nodes, "between nodes");
        expect_share(f.openmp_parallel_efficiency, "OpenMP");
        expect_share(f.openmp_serialization, "serialization");
        expect_share(f.openmp_load_balance, "balance of threads");
        expect_share(f.openmp_scheduling, "scheduling");
    }
}

TEST(Identities, LossesAndEfficiencySumUpToOne) {
    test::RandomProgram random(3);
    for (int i = 0; i < kCases && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const auto program = random.program();
        double sum = factors_of(program).parallel_efficiency;
        for (const Loss& loss : losses_of(program)) {
            EXPECT_GE(loss.share, -kRounding);
            sum += loss.share;
        }
        EXPECT_NEAR(sum, 1, kRounding);
    }
}

TEST(Identities, EachPartOfABudgetIsOwnedOnce) {
    test::RandomProgram random(4);
    for (int i = 0; i < kCases && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        const Budget budget = budget_of(random.process());
        EXPECT_NEAR(budget.owned,
                    budget.useful + budget.outside_mpi() - budget.useful + budget.mpi + budget.mpi_worker_idle,
                    kRounding);
        EXPECT_NEAR(budget.outside_mpi(),
                    budget.useful + budget.load_imbalance + budget.scheduling + budget.serialization, kRounding);
        for (const auto part : {&Budget::useful, &Budget::mpi, &Budget::mpi_worker_idle, &Budget::load_imbalance,
                                &Budget::scheduling, &Budget::serialization})
            EXPECT_GE(budget.*part, -kRounding);
    }
}

TEST(Factors, TwoRanksOfOneToThreeLoseAThirdToImbalance) {
    const std::vector<Share> program{computes(0, 10.0 / 3, 10), computes(0, 10, 10)};
    const Factors f = factors_of(program);
    EXPECT_NEAR(f.parallel_efficiency, 2.0 / 3, kRounding);
    EXPECT_NEAR(f.mpi_load_balance, 2.0 / 3, kRounding);
    EXPECT_NEAR(f.mpi_communication, 1, kRounding);
    EXPECT_NEAR(f.openmp_parallel_efficiency, 1, kRounding);
    EXPECT_EQ(
        sentence_about(program, "heat.1"),
        "The largest loss: 33 % of the CPU time, as processes of a node have unequal work and wait in MPI for heat.1.");
}

TEST(Factors, NodesOfOneToTwoLoseBetweenThem) {
    const std::vector<Share> program{computes(0, 5, 10), computes(0, 5, 10), computes(1, 10, 10), computes(1, 10, 10)};
    const Factors f = factors_of(program);
    EXPECT_NEAR(f.mpi_load_balance_within_nodes, 1, kRounding);
    EXPECT_NEAR(f.mpi_load_balance_between_nodes, 0.75, kRounding);
    EXPECT_NE(sentence_about(program, "heat.2").find("25 % of the CPU time, as nodes have unequal work"),
              std::string::npos);
}

TEST(Factors, WorkersWithoutWorkInMpiAreNoLossOfOpenMP) {
    const Budget budget = budget_of({10, 4, {{5, 5, 0}, {5, 0, 5}, {5, 0, 5}, {5, 0, 0}}});
    EXPECT_NEAR(budget.mpi_worker_idle, 15, kRounding);
    const std::vector<Share> program{{0, budget}};
    EXPECT_NEAR(factors_of(program).openmp_parallel_efficiency, 1, kRounding);
    EXPECT_NEAR(factors_of(program).mpi_communication, 0.5, kRounding);
}

TEST(Factors, ThreadsOfOneToThreeLoseToTheBusiestThread) {
    const std::vector<Share> program{{0, budget_of({9, 2, {{3, 0, 6}, {9, 0, 0}}})}};
    EXPECT_NEAR(factors_of(program).openmp_load_balance, 2.0 / 3, kRounding);
    EXPECT_NEAR(factors_of(program).openmp_scheduling, 1, kRounding);
}

TEST(Factors, MoreThreadsThanCpusAreNoGain) {
    const std::vector<Share> program{{0, budget_of({10, 2, {{5, 0, 0}, {5, 0, 0}, {5, 0, 0}, {5, 0, 0}}})}};
    EXPECT_NEAR(factors_of(program).parallel_efficiency, 1, kRounding);
}

TEST(Factors, AProcessThatOwnedNothingIsLeftOut) {
    const std::vector<Share> program{{0, {}}, computes(1, 10, 10)};
    EXPECT_NEAR(factors_of(program).parallel_efficiency, 1, kRounding);
    EXPECT_NEAR(factors_of({}).parallel_efficiency, 1, kRounding);
    EXPECT_EQ(sentence_about({}, ""), "No process owned a CPU.");
}

TEST(Factors, AProgramThatIsInMpiAllTheTimeHasNoEfficiency) {
    const std::vector<Share> program{computes(0, 0, 10), computes(0, 0, 10)};
    EXPECT_NEAR(factors_of(program).parallel_efficiency, 0, kRounding);
    expect_identities(factors_of(program));
    EXPECT_NE(sentence_about(program, "a").find("100 % of the CPU time, as every process waits in MPI"),
              std::string::npos);
}

TEST(Factors, ThoseOfTalpAreProductsAndAgreeWithoutMpi) {
    test::RandomProgram random(11);
    for (int i = 0; i < 500; ++i) {
        const auto program = random.program();
        const Factors talp = talp_factors_of(program);
        const Factors own = factors_of(program);
        EXPECT_NEAR(talp.openmp_parallel_efficiency,
                    talp.openmp_serialization * talp.openmp_load_balance * talp.openmp_scheduling, 1e-9);
        EXPECT_EQ(talp.mpi_parallel_efficiency, own.mpi_parallel_efficiency);
        EXPECT_LE(talp.parallel_efficiency, talp.openmp_parallel_efficiency + 1e-9);
        if (const Budget sum = sum_of(program); sum.mpi > 0 || sum.mpi_worker_idle > 0) continue;
        EXPECT_NEAR(talp.parallel_efficiency, own.parallel_efficiency, 1e-9);
        EXPECT_NEAR(talp.openmp_scheduling, own.openmp_scheduling, 1e-9);
    }
}

TEST(Factors, TalpCountsMpiAsWorkOfOpenmp) {
    // 10 s of 2 CPUs: 12 useful, 2 in MPI with 2 idle beside it, 3 imbalance, 1 scheduling.
    const Share share{0, {20, 12, 2, 2, 3, 1, 0}};
    const Factors talp = talp_factors_of({&share, 1});
    EXPECT_NEAR(talp.parallel_efficiency, 12.0 / 18, 1e-9);
    EXPECT_NEAR(talp.openmp_parallel_efficiency, 14.0 / 18, 1e-9);
    EXPECT_NEAR(talp.openmp_load_balance, 14.0 / 17, 1e-9);
    EXPECT_NEAR(talp.openmp_scheduling, 17.0 / 18, 1e-9);
}

}  // namespace drom::metrics
