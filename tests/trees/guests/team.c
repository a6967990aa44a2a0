// SPDX-License-Identifier: BSD-3-Clause
// team.c - an OpenMP program that opens region after region, and sleeps in between.
#include <time.h>

int main(void) {
    volatile double sum = 0;
    for (;;) {
#pragma omp parallel
        {
            struct timespec nap = {0, 5000000};
            nanosleep(&nap, 0);
        }
        sum += 1;
    }
}
