/* SPDX-License-Identifier: BSD-3-Clause
 * collectives.c - ranks that meet in one collective after another, with an OpenMP team each; every result is known
 * beforehand.
 *
 *   collectives PROGRESS STOP     rank 0 counts its rounds in PROGRESS (8 bytes, mapped); all end when STOP is there
 *
 * Prints "N rounds, wrong W". */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kItems = 2000, kMax = 64 };

static int64_t team_sum(int64_t factor) {
    int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int64_t i = 1; i <= kItems; ++i) sum += i * factor;
    return sum;
}

static int64_t round_of(int64_t round, int rank, int ranks) {
    int64_t wrong = 0, total = 0, told = rank == round % ranks ? round : -1, maximum = 0;
    const int64_t whole = (int64_t)kItems * (kItems + 1) / 2;
    const int64_t own = team_sum(rank + 1);
    MPI_Allreduce(&own, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    wrong += total != whole * ranks * (ranks + 1) / 2;
    MPI_Bcast(&told, 1, MPI_INT64_T, (int)(round % ranks), MPI_COMM_WORLD);
    wrong += told != round;
    int64_t out[kMax], in[kMax];
    for (int to = 0; to < ranks; ++to) out[to] = round * 1000 + rank * 10 + to;
    MPI_Alltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, MPI_COMM_WORLD);
    for (int from = 0; from < ranks; ++from) wrong += in[from] != round * 1000 + from * 10 + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce(&own, &maximum, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    wrong += rank == 0 && maximum != whole * ranks;
    return wrong;
}

static volatile uint64_t* map_progress(const char* path) {
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof(uint64_t)) != 0) return NULL;
    void* at = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

int main(int argc, char** argv) {
    int rank = 0, ranks = 1, provided = 0;
    int64_t round = 0, wrong = 0, all_wrong = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    volatile uint64_t* progress = argc == 3 && ranks <= kMax ? map_progress(argv[1]) : NULL;
    if (progress == NULL) {
        fprintf(stderr, "usage: collectives PROGRESS STOP, with at most %d ranks\n", kMax);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int stop = 0; !stop; ++round) {
        wrong += round_of(round, rank, ranks);
        if (rank == 0) {
            *progress = (uint64_t)round + 1;
            stop = access(argv[2], F_OK) == 0;
        }
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%lld rounds, wrong %lld\n", (long long)round, (long long)all_wrong);
    MPI_Finalize();
    return 0;
}
