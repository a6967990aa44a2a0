// SPDX-License-Identifier: BSD-3-Clause
// sized.c - sizes itself: prints the CPUs of its affinity, those that the OpenMP runtime counts, and the size of the
// first team.
//   sized [CPU]            runs on this CPU from its start on
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int team = 0;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (argc > 1) CPU_SET(atoi(argv[1]), &mask);
    if (argc > 1 && sched_setaffinity(0, sizeof mask, &mask) != 0) return 1;
#pragma omp parallel reduction(+ : team)
    team += 1;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
    printf("affinity=%d runtime=%d team=%d\n", CPU_COUNT(&mask), omp_get_num_procs(), team);
    return 0;
}
