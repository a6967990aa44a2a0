// SPDX-License-Identifier: BSD-3-Clause
// sized.c - sizes itself: prints the CPUs of its affinity, those that the OpenMP runtime counts, and the size of the
// first team.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    int team = 0;
    cpu_set_t mask;
#pragma omp parallel reduction(+ : team)
    team += 1;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
    printf("affinity=%d runtime=%d team=%d\n", CPU_COUNT(&mask), omp_get_num_procs(), team);
    return 0;
}
