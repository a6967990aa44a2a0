// SPDX-License-Identifier: BSD-3-Clause
// setup.c - asks how many threads there are as it sets itself up, and builds a table for more than one only; in every step it asks again, at
// another place, and uses the table for more than one. Many codes do. Right in modes safe and never; under eager it touches a table that is
// not there when it has got a second CPU after it has asked.
//   setup [STEPS]          40 steps of ten milliseconds at least
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kItems = 64 };

static long* volatile turn_of;

static void set_up(void) {
    if (omp_get_max_threads() <= 1) return;
    turn_of = malloc(kItems * sizeof *turn_of);
    if (turn_of == NULL) exit(2);
    for (long i = 0; i < kItems; ++i) turn_of[i] = kItems - 1 - i;
}

static long step(long round) {
    const int by_table = omp_get_max_threads() > 1;
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < kItems; ++i) sum += (by_table ? turn_of[i] : i) * round % 7;
    return sum;
}

int main(int argc, char** argv) {
    const long steps = argc > 1 ? atol(argv[1]) : 40;
    long total = 0;
    set_up();
    for (long round = 0; round < steps; ++round) {
        total += step(round);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    printf("%ld\n", total);
    return 0;
}
