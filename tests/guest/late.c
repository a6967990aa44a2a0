/* SPDX-License-Identifier: BSD-3-Clause
 * late.c - a program whose first region comes late: it says "ready", waits for the file STOP, and prints the size of
 * its team and the number of processors. With CPUs it binds itself to these, before it says "ready" or after STOP.
 *
 *   late STOP [before|after CPU...] */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void bind_to(char** cpus) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (; *cpus != NULL; ++cpus) CPU_SET(atoi(*cpus), &mask);
    if (sched_setaffinity(0, sizeof mask, &mask) != 0) exit(1);
}

int main(int argc, char** argv) {
    const int binds = argc > 3;
    const int before = binds && strcmp(argv[2], "before") == 0;
    if (before) bind_to(argv + 3);
    puts("ready");
    fflush(stdout);
    while (argc > 1 && access(argv[1], F_OK) != 0) usleep(10000);
    if (binds && !before) bind_to(argv + 3);
    const int processors = omp_get_num_procs();
    int team = 0;
#pragma omp parallel
#pragma omp single
    team = omp_get_num_threads();
    printf("team %d of %d on %d\n", team, omp_get_max_threads(), processors);
    return 0;
}
