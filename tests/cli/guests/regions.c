// SPDX-License-Identifier: BSD-3-Clause
// regions.c - runs short OpenMP regions until SIGTERM or for the given seconds; never asks how many threads it has.
//   regions [SECONDS]      prints the number of regions, exit status 0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile sig_atomic_t ended;
static void end(int number) {
    (void)number;
    ended = 1;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
    const double limit = argc > 1 ? atof(argv[1]) : 60;
    const double start = seconds();
    signal(SIGTERM, end);
    long regions = 0;
    long sum = 0;
    while (!ended && seconds() - start < limit) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 200000; ++i) sum += i % 7;
        ++regions;
    }
    printf("%ld regions, %s\n", regions, sum == regions * 599994 ? "right" : "wrong");
    return 0;
}
