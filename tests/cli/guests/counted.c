// SPDX-License-Identifier: BSD-3-Clause
// counted.c - counts its threads once, by a reduction, and keeps the number as the size of each thread's share: right
// with a team that keeps its size, wrong with any other. It never asks the runtime.
//   counted [STEPS]        steps of a millisecond or more
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern int omp_get_thread_num(void);

int main(int argc, char** argv) {
    const long steps = argc > 1 ? atol(argv[1]) : 300;
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    long total = 0;
    for (long step = 0; step < steps; ++step) {
#pragma omp parallel reduction(+ : total)
        for (int i = omp_get_thread_num(); i < 50000; i += threads) total += i % 7;
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    printf("%ld\n", total);
    return 0;
}
