// SPDX-License-Identifier: BSD-3-Clause
// nested.c - teams inside a team: each thread of the outer region opens regions of its own.
//   nested           until a signal ends it
//   nested REGIONS   until there is a line to read; then it waits, for a while, for a request that makes its team one
//                    thread, opens that many regions, and prints how much processor time they took, over that of their
//                    work done by one thread
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void work(void) {
    for (volatile int i = 0; i < 50000; ++i) {}
}

/// Returns the size of the outer team. It is counted, because a program that asks is given an answer that stands.
static int region(void) {
    int outer = 0;
#pragma omp parallel reduction(+ : outer)
    {
        outer += 1;
#pragma omp parallel num_threads(2)
        work();
    }
    return outer;
}

static double cpu_seconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static double alone(long works) {
    const double begin = cpu_seconds();
    for (long i = 0; i < works; ++i) work();
    return cpu_seconds() - begin;
}

static void measure(long regions) {
    int outer = region();
    /* A request may not be dealt with at once, least of all on a busy machine. */
    for (int i = 0; i < 20 || (outer > 1 && i < 20000); ++i) outer = region();
    const double begin = cpu_seconds();
    for (long i = 0; i < regions; ++i) region();
    const double together = cpu_seconds() - begin;
    printf("outer %d ratio %.2f\n", outer, together / alone(2 * outer * regions));
}

int main(int argc, char** argv) {
    omp_set_max_active_levels(2);
    while (argc < 2) region();
    for (int i = 0; i < 20; ++i) region();
    puts("ready");
    fflush(stdout);
    (void)getchar();
    measure(atol(argv[1]));
    return 0;
}
