/* SPDX-License-Identifier: BSD-3-Clause
 * late.c - a program whose first region comes late: it says "ready", waits for the file STOP, and prints the size of
 * its team.
 *
 *   late STOP */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
    puts("ready");
    fflush(stdout);
    while (argc > 1 && access(argv[1], F_OK) != 0) usleep(10000);
    int team = 0;
#pragma omp parallel
#pragma omp single
    team = omp_get_num_threads();
    printf("team %d of %d\n", team, omp_get_max_threads());
    return 0;
}
