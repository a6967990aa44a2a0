// SPDX-License-Identifier: BSD-3-Clause
// filtered.c - a program that forbids itself the start of threads once it has its own, as a sandbox does. The C library
// ends a process when a new thread cannot register for restartable sequences.
#include <errno.h>
#include <stdio.h>

#include "call_filter.h"

static int threads_of_region(void) {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads += 1;
    return threads;
}

int main(void) {
    int threads = threads_of_region();
    if (filter_call(SYS_rseq, ENOSYS) != 0) return 1;
    for (int i = 0; i < 100; ++i) {
        threads += threads_of_region();
        usleep(1000);
    }
    printf("%d\n", threads);
    return 0;
}
