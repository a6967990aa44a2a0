// SPDX-License-Identifier: BSD-3-Clause
// partition.c - asks how many threads there are, sizes an array by it, and uses the array in the region after the next:
// right with a team that keeps its size, wrong when the team changes in between.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    double total = 0;
    for (int round = 0; round < 3000; ++round) {
        const int threads = omp_get_max_threads();
        double* part = calloc((size_t)threads, sizeof *part);
        if (part == NULL) return 2;
#pragma omp parallel
        {
            const int me = omp_get_thread_num();
            for (int i = me; me < threads && i < 40000; i += threads) part[me] += i % 7;
        }
#pragma omp parallel
        {
            const int me = omp_get_thread_num();
            if (me < threads) part[me] *= 2;
        }
        for (int i = 0; i < threads; ++i) total += part[i];
        free(part);
    }
    printf("%.0f\n", total);
    return 0;
}
