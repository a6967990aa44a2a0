// SPDX-License-Identifier: BSD-3-Clause
// rank_test.cpp - the rank of a process by its environment, and its part of the CPUs.
#include "client/rank.hpp"

#include <map>
#include <string>

#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;

using Variables = std::map<std::string, std::string>;
const Variables* variables = nullptr;

const char* read(const char* name) {
    const auto found = variables->find(name);
    return found == variables->end() ? nullptr : found->second.c_str();
}

struct Row {
    const char* what;
    Variables variables;
    bool is_rank;
    uint32_t rank, ranks, local_rank, local_ranks;
    const char* job;
};

const Row kRows[] = {
    {"no launcher", {{"HOME", "/"}}, false, 0, 0, 0, 0, ""},
    {"Open MPI",
     {{"OMPI_COMM_WORLD_RANK", "3"},
      {"OMPI_COMM_WORLD_SIZE", "8"},
      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
      {"PMIX_RANK", "3"},
      {"PMIX_NAMESPACE", "4242"}},
     true,
     3,
     8,
     1,
     2,
     "4242"},
    {"Hydra has no name for the job",
     {{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "4"}},
     true,
     0,
     4,
     0,
     4,
     ""},
    {"Slurm",
     {{"SLURM_PROCID", "5"},
      {"SLURM_STEP_NUM_TASKS", "6"},
      {"SLURM_LOCALID", "1"},
      {"SLURM_STEP_TASKS_PER_NODE", "2(x3)"},
      {"SLURM_JOB_ID", "88"},
      {"SLURM_STEP_ID", "0"}},
     true,
     5,
     6,
     1,
     2,
     "88.0"},
    {"nodes of different sizes", {{"SLURM_PROCID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "4,2"}}, true, 0, 0, 0, 0, ""},
    {"an mpirun inside a Slurm step says more than the step",
     {{"SLURM_PROCID", "0"}, {"SLURM_JOB_ID", "88"}, {"PMI_RANK", "2"}, {"PMI_SIZE", "4"}},
     true,
     2,
     4,
     0,
     0,
     "88"},
    {"the user's name for the job",
     {{"PMI_RANK", "1"}, {"DROM_JOB", "mine"}, {"SLURM_JOB_ID", "88"}},
     true,
     1,
     0,
     0,
     0,
     "mine"},
    {"a process that initialised Open MPI by itself",
     {{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "1"}},
     false,
     0,
     0,
     0,
     0,
     ""},
    {"a batch script is no rank, but of a job", {{"SLURM_JOB_ID", "88"}}, false, 0, 0, 0, 0, "88"},
    {"not a number", {{"PMI_RANK", "x"}}, false, 0, 0, 0, 0, ""},
    {"negative", {{"PMI_RANK", "-1"}}, false, 0, 0, 0, 0, ""},
    {"too large", {{"PMI_RANK", "99999999999999999999"}}, false, 0, 0, 0, 0, ""},
    {"a long name is cut",
     {{"PMI_RANK", "0"}, {"DROM_JOB", std::string(100, 'j')}},
     true,
     0,
     0,
     0,
     0,
     "jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj"},
};

TEST(Rank, IsWhatItsLauncherSays) {
    for (const Row& row : kRows) {
        SCOPED_TRACE(row.what);
        variables = &row.variables;
        Rank rank{};
        ASSERT_EQ(rank_of(read, rank), row.is_rank);
        EXPECT_STREQ(rank.job, row.job);
        if (!row.is_rank) continue;
        EXPECT_EQ(rank.rank, row.rank);
        EXPECT_EQ(rank.ranks, row.ranks);
        EXPECT_EQ(rank.local_rank, row.local_rank);
        EXPECT_EQ(rank.local_ranks, row.local_ranks);
    }
}

TEST(Rank, OneThatItsLauncherBoundSharesNothing) {
    const Rank of_four{.ranks = 4, .rank = 0, .local_rank = 0, .local_ranks = 4, .job = {}};
    EXPECT_FALSE(shares_mask(of_four, 4, 16)) << "side by side";
    EXPECT_TRUE(shares_mask(of_four, 16, 16)) << "all have the node";
    EXPECT_TRUE(shares_mask(of_four, 8, 16)) << "two and two on a package";
    const Rank alone{.ranks = 4, .rank = 0, .local_rank = 0, .local_ranks = 1, .job = {}};
    EXPECT_FALSE(shares_mask(alone, 16, 16));
    EXPECT_FALSE(shares_mask(Rank{}, 16, 16)) << "no variable says how many there are";
}

TEST(Rank, PartsAreDisjointCoverAllAndDifferByOneAtMost) {
    EXPECT_TRUE(holds("parts", [] {
        const uint32_t ranks = *rc::gen::inRange(1U, 200U);
        const uint32_t cpus = *rc::gen::inRange(0U, 300U);
        uint32_t next = 0;
        for (uint32_t local = 0; local < ranks; ++local) {
            const Part part =
                part_of({.ranks = ranks, .rank = local, .local_rank = local, .local_ranks = ranks, .job = {}}, cpus);
            RC_ASSERT(part.first == next);
            RC_ASSERT(part.end - part.first == cpus / ranks || part.end - part.first == cpus / ranks + 1);
            next = part.end;
        }
        RC_ASSERT(next == cpus);
    }));
}

}  // namespace
