/* SPDX-License-Identifier: BSD-3-Clause
 * places.c - a program that never asks for its number of threads. After each region it prints the size of its team, and
 * where its threads may run.
 *
 *   team=4 cpus=0,1,2,3 masks=0,1,2,3 bound=4
 *     cpus    the CPUs on which the threads were, in order, one entry per thread
 *     masks   the CPUs on which the threads may be, all together
 *     bound   the number of threads that may be on one CPU only
 *
 * Regions are 30 ms apart, and no thread spins: on an interpreted CPU every spin takes a second. Ends by itself after
 * argv[1] seconds.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kCpus = 64 };

typedef struct Seen {
    int team, bound, on[kCpus], may[kCpus];
} Seen;

static void look(Seen* seen) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    const int cpu = sched_getcpu();
#pragma omp critical
    {
        ++seen->team;
        seen->bound += CPU_COUNT(&mask) == 1;
        if (cpu >= 0 && cpu < kCpus) ++seen->on[cpu];
        for (int c = 0; c < kCpus; ++c) seen->may[c] |= CPU_ISSET(c, &mask);
    }
}

static void print_list(const char* name, const int* times) {
    const char* separator = "";
    printf(" %s=", name);
    for (int c = 0; c < kCpus; ++c)
        for (int i = 0; i < times[c]; ++i, separator = ",") printf("%s%d", separator, c);
}

int main(int argc, char** argv) {
    const time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 60);
    const struct timespec apart = {0, 30000000};
    while (time(NULL) < end) {
        Seen seen = {0};
#pragma omp parallel
        look(&seen);
        printf("team=%d", seen.team);
        print_list("cpus", seen.on);
        print_list("masks", seen.may);
        printf(" bound=%d\n", seen.bound);
        fflush(stdout);
        nanosleep(&apart, NULL);
    }
    return 0;
}
