// SPDX-License-Identifier: BSD-3-Clause
// mpi_calls.c - what an MPI call costs through the entry point that the program is bound to, beside the MPI library's
// own. Prints one line per batch.
//
//   mpi_calls call BATCHES CALLS        MPI_Wait on no request: "through straight", ns per call, in turns
//   mpi_calls pingpong BATCHES CALLS    8 bytes there and back between rank 0 and 1: ns per round
//   mpi_calls allreduce BATCHES CALLS   one double over all ranks: ns per call
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int wait_fn(MPI_Request*, MPI_Status*);

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double per_wait(wait_fn* wait, long calls) {
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Status status;
    const double begin = now_ns();
    for (long i = 0; i < calls; ++i) wait(&none, &status);
    return (now_ns() - begin) / (double)calls;
}

/// Returns the MPI library's own MPI_Wait, whatever stands in front of it.
static wait_fn* straight(void) {
    Dl_info info;
    if (dladdr(dlsym(RTLD_DEFAULT, "PMPI_Wait"), &info) == 0) return NULL;
    void* library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return library == NULL ? NULL : (wait_fn*)dlsym(library, "MPI_Wait");
}

static void pingpong(int rank) {
    double word = 0;
    if (rank == 0) {
        MPI_Send(&word, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&word, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&word, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
}

static void allreduce(int rank) {
    double mine = rank, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static double per_round(void (*round)(int), int rank, long calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now_ns();
    for (long i = 0; i < calls; ++i) round(rank);
    return (now_ns() - begin) / (double)calls;
}

int main(int argc, char** argv) {
    if (argc != 4) return fprintf(stderr, "usage: mpi_calls call|pingpong|allreduce BATCHES CALLS\n"), 2;
    const long batches = atol(argv[2]), calls = atol(argv[3]);
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wait_fn *through = (wait_fn*)dlsym(RTLD_DEFAULT, "MPI_Wait"), *own = straight();
    if (own == NULL) return fprintf(stderr, "mpi_calls: the MPI library has no MPI_Wait of its own\n"), 1;
    for (long i = 0; i < batches; ++i) {
        if (strcmp(argv[1], "call") == 0) {
            const double with = per_wait(through, calls), without = per_wait(own, calls);
            printf("%.3f %.3f\n", with, without);
            continue;
        }
        const double ns = per_round(strcmp(argv[1], "pingpong") == 0 ? pingpong : allreduce, rank, calls);
        if (rank == 0) printf("%.1f\n", ns);
    }
    MPI_Finalize();
    return 0;
}
