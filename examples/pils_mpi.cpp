// SPDX-License-Identifier: BSD-3-Clause
// pils_mpi.cpp - the load of pils.cpp over several ranks, which add up their sums after each round.
//
// A plain MPI+OpenMP program: nothing of drom in it. Only the main thread calls MPI, between parallel loops.
//
//   mpirun -np RANKS pils_mpi [--tasks N] [--work THOUSANDS] [--rounds N]
//
// A rank computes its part of the pieces of each round. The checksum is that of pils, for any number of ranks and
// threads.
#include <mpi.h>

#include <cstdint>
#include <cstdio>

#include "arguments.hpp"
#include "pils.hpp"

namespace {

std::uint64_t sum_of_round(const Load& load, int round, int rank, int ranks) {
    const std::uint64_t part = part_of_round(load, round, load.tasks * rank / ranks, load.tasks * (rank + 1) / ranks);
    std::uint64_t all = 0;
    MPI_Allreduce(&part, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

void run(const Load& load, int rank, int ranks) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    std::uint64_t sum = 0;
    for (int round = 0; round < load.rounds; ++round) sum += sum_of_round(load, round, rank, ranks);
    const double took = MPI_Wtime() - begin;
    if (rank != 0) return;
    std::printf("pils_mpi: %d rounds of %d tasks, checksum %016llx\n", load.rounds, load.tasks,
                static_cast<unsigned long long>(sum));
    std::fprintf(stderr, "pils_mpi: %.6f s\n", took);
}

}  // namespace

int main(int argc, char** argv) {
    int given = 0, rank = 0, ranks = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Load load;
    const bool read =
        read_arguments(argc, argv, {{"--tasks", &load.tasks}, {"--work", &load.work}, {"--rounds", &load.rounds}});
    if (read)
        run(load, rank, ranks);
    else if (rank == 0)
        std::fputs("usage: pils_mpi [--tasks N] [--work THOUSANDS] [--rounds N]\n", stderr);
    MPI_Finalize();
    return read ? 0 : 2;
}
