/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c - two ranks with unequal work: ranks RATIO FOLDER. Rank 1 works 20 ms per iteration, rank 0 RATIO times less.
 * Ends when FOLDER/stop is there, or after two minutes. */
#include <mpi.h>

#include "clocks.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double unit = rank == 0 ? 0.02 / atof(argv[1]) : 0.02;
    const double end = seconds_of(CLOCK_MONOTONIC) + 120;
    struct clocks* clocks = new_clocks(argv[2], rank);
    for (int stop = 0; !stop;) {
        clocks->useful[0] += work(unit);
        const int mine = has_to_stop(argv[2]) || seconds_of(CLOCK_MONOTONIC) > end;
        MPI_Allreduce(&mine, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        clocks->now = seconds_of(CLOCK_MONOTONIC);
    }
    MPI_Finalize();
    return 0;
}
