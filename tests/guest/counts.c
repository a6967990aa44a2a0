/* SPDX-License-Identifier: BSD-3-Clause
 * counts.c - what an OpenMP program sees of its CPUs as it starts: processors, places, the size of a team, and how much
 * of the work falls to threads beyond the number of processors.
 *
 *   counts */
#include <omp.h>
#include <stdio.h>

int main(void) {
    const int processors = omp_get_num_procs();
    int team = 0;
    int beyond = 0;
#pragma omp parallel reduction(+ : beyond)
    {
#pragma omp single
        team = omp_get_num_threads();
#pragma omp for schedule(static)
        for (int i = 0; i < 1000; ++i) beyond += omp_get_thread_num() >= processors;
    }
    printf("%d processors, %d places, a team of %d, %d beyond\n", processors, omp_get_num_places(), team, beyond);
}
