/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - two OpenMP threads with unequal work: threads RATIO FOLDER. Thread 1 works 20 ms per region, thread 0
 * RATIO times less. Ends when FOLDER/stop is there, or after two minutes. */
#include <omp.h>

#include "clocks.h"

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const double ratio = atof(argv[1]);
    const double end = seconds_of(CLOCK_MONOTONIC) + 120;
    struct clocks* clocks = new_clocks(argv[2], 0);
    while (!has_to_stop(argv[2]) && seconds_of(CLOCK_MONOTONIC) < end) {
#pragma omp parallel num_threads(2)
        {
            const int thread = omp_get_thread_num();
            clocks->useful[thread] += work(thread == 0 ? 0.02 / ratio : 0.02);
        }
        clocks->now = seconds_of(CLOCK_MONOTONIC);
    }
    return 0;
}
