// SPDX-License-Identifier: BSD-3-Clause
// applications_test.cpp - which processes count as one program, and which of them owns which CPU time.
#include "verbs/stats_applications.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace drom::command {

namespace {

ProcessSeen process(pid_t pid, double useful, double mpi) {
    return {pid, "p", {{useful, mpi, 0}}, useful + mpi, 0, 100};
}

ClientSeen client(const char* name, const char* job, double cpus, std::vector<ProcessSeen> processes) {
    ClientSeen seen;
    std::strncpy(seen.info.name, name, sizeof seen.info.name - 1);
    std::strncpy(seen.info.job, job, sizeof seen.info.job - 1);
    seen.cpus = cpus;
    seen.processes = std::move(processes);
    return seen;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

TEST(Divided, EachRankHasItsPartAndTheSumIsOwned) {
    EXPECT_EQ(divided(20, std::vector<double>{10, 3}), (std::vector<double>{10, 10}));
    EXPECT_EQ(divided(20, std::vector<double>{14, 3}), (std::vector<double>{14, 6}));
    EXPECT_EQ(divided(30, std::vector<double>{14, 9, 1}), (std::vector<double>{14, 9, 7}));
    EXPECT_EQ(divided(1, std::vector<double>{}), (std::vector<double>{}));
    EXPECT_NEAR(sum(divided(5, std::vector<double>{4, 4})), 8, 1e-9) << "all that was used was owned";
    EXPECT_NEAR(sum(divided(20, std::vector<double>{6.7, 6.6, 6.7})), 20, 1e-9);
}

TEST(Applications, RanksBelowOneClientAreProcesses) {
    const auto seen =
        client("job", "", 2, {process(1, 0.001, 0), process(2, 10, 0), process(3, 3, 7), process(4, 9, 1)});
    const auto processes = processes_of(seen, 10, "n1");
    ASSERT_EQ(processes.size(), 2U) << "mpirun, and a rank that is never in MPI, are none";
    EXPECT_EQ(processes[0].pid, 3);
    EXPECT_NEAR(processes[0].budget.owned, 10, 1e-9);
    EXPECT_EQ(processes[1].node, "n1");
}

TEST(Applications, OtherProcessesOfAClientCountAsOne) {
    const auto processes =
        processes_of(client("make", "", 2, {process(1, 1, 0), process(2, 9, 0), process(3, 8, 0)}), 10, "n1");
    ASSERT_EQ(processes.size(), 1U);
    EXPECT_EQ(processes[0].pid, 1);
    EXPECT_EQ(processes[0].threads, 3U);
    EXPECT_NEAR(processes[0].budget.useful, 18, 1e-9);
    EXPECT_NEAR(processes[0].budget.owned, 20, 1e-9);
}

TEST(Applications, TheClientsOfAJobAreOneProgramAndOthersAreNot) {
    WindowSeen window;
    window.elapsed_s = 10;
    window.clients = {client("a", "", 1, {process(1, 5, 0)}), client("heat.0", "7", 1, {process(2, 5, 5)}),
                      client("a", "", 1, {process(3, 5, 0)}), client("heat.1", "7", 1, {process(4, 10, 0)})};
    window.clients[1].info.ranks = window.clients[3].info.ranks = 2;
    window.clients[3].info.rank = 1;
    const auto applications = applications_of(window, "n1");
    ASSERT_EQ(applications.size(), 3U);
    EXPECT_EQ(applications[1].name, "heat");
    ASSERT_EQ(applications[1].processes.size(), 2U);
    EXPECT_EQ(applications[1].processes[1].rank, 1U);
    EXPECT_EQ(loss_sentence(applications[1]),
              "The largest loss: 25 % of the CPU time, as processes of a node have unequal work and wait in MPI for "
              "heat.1 (4).");
}

TEST(Applications, WhereOneClientCouldNotBeSampledTheProgramWasNot) {
    WindowSeen window;
    window.elapsed_s = 10;
    window.clients = {client("a", "7", 1, {process(1, 5, 0)}), client("b", "7", 1, {})};
    window.clients[1].elsewhere = true;
    const auto applications = applications_of(window, "n1");
    ASSERT_EQ(applications.size(), 1U);
    EXPECT_FALSE(applications[0].sampled);
    EXPECT_EQ(loss_sentence(applications[0]), "");
}

TEST(Applications, OnlyANumberIsTakenForARank) {
    EXPECT_EQ(name_without_rank("heat.12"), "heat");
    EXPECT_EQ(name_without_rank("a.out"), "a.out");
    EXPECT_EQ(name_without_rank("heat."), "heat.");
    EXPECT_EQ(name_without_rank(""), "");
}

}  // namespace drom::command
