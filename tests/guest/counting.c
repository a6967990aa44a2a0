/* SPDX-License-Identifier: BSD-3-Clause
 * counting.c - a library that counts the CPUs for its pool of threads as it is loaded, as OpenBLAS does. */
#define _GNU_SOURCE
#include <sched.h>

static int count;

__attribute__((constructor)) static void count_cpus(void) {
    cpu_set_t cpus;
    count = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : -1;
}

__attribute__((visibility("default"))) int counted(void) { return count; }
