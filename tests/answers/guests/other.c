/* SPDX-License-Identifier: BSD-3-Clause
 * other.c - the part of both.c that a library has as well, built by another compiler: the library asks in its regions,
 * and sets their size.
 */
#include <omp.h>

#include "guest.h"

uint64_t other_part(long round);
void other_sets(int threads);

uint64_t other_part(long round) {
    const int expected = omp_get_max_threads();
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const int threads = omp_get_num_threads();
        for (int i = omp_get_thread_num(); i < 2000; i += threads) sum += work((uint64_t)(round * 2000 + i), 96);
    }
    return mix(sum, (uint64_t)expected);
}

void other_sets(int threads) { omp_set_num_threads(threads); }
