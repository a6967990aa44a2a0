// SPDX-License-Identifier: BSD-3-Clause
// module.c - an extension module that is linked to MPI.
#include <mpi.h>
#include <stdio.h>

int run(void) {
    int rank = 0, sum = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
