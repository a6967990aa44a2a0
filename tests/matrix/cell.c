/* SPDX-License-Identifier: BSD-3-Clause
 * cell.c - the program of the C and C++ rows of the matrix: rounds of an OpenMP loop, and with -DWITH_MPI of
 * collectives, too.
 *
 *   cell STOP     ends when the file STOP is there; prints "rounds N wrong W" */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { kItems = 3000 };

/* Returns a sum that is known, because the steps do not depend on the number of threads. */
static int64_t team_sum(int64_t factor) {
    int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= kItems; ++i) sum += i * factor;
    return sum;
}

static int64_t total_of(int64_t own) {
#ifdef WITH_MPI
    int64_t total = 0;
    MPI_Allreduce(&own, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return total;
#else
    return own;
#endif
}

/* Returns whether the file is there: rank 0 looks for it, and tells all ranks. */
static int is_over(const char* path, int rank) {
    int over = rank == 0 && access(path, F_OK) == 0;
#ifdef WITH_MPI
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
    return over;
}

int main(int argc, char** argv) {
    int rank = 0, ranks = 1;
    int64_t wrong = 0, rounds = 0;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
    const int64_t whole = (int64_t)kItems * (kItems + 1) / 2;
    do {
        ++rounds;
        const int64_t factor = rounds % 1000 + rank;
        const int64_t expected = whole * (ranks * (rounds % 1000) + (int64_t)ranks * (ranks - 1) / 2);
        wrong += total_of(team_sum(factor)) != expected;
    } while (argc < 2 || !is_over(argv[1], rank));
    wrong = total_of(wrong);
    if (rank == 0) printf("rounds %lld wrong %lld\n", (long long)rounds, (long long)wrong);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return wrong != 0;
}
