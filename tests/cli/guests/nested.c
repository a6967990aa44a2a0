// SPDX-License-Identifier: BSD-3-Clause
// nested.c - teams inside a team: each thread of the outer region opens regions of its own, until a signal ends the program.
#include <omp.h>

static void work(void) {
    for (volatile int i = 0; i < 200000; ++i) {}
}

int main(void) {
    omp_set_max_active_levels(2);
    for (;;) {
#pragma omp parallel
        {
#pragma omp parallel num_threads(2)
            work();
        }
    }
}
