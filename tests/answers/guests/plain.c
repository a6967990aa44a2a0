/* SPDX-License-Identifier: BSD-3-Clause
 * plain.c - programs that can be resized, and must be: they never ask, or ask each time.
 *
 *   never     parallel for, without asking; counts its threads by a reduction
 *   again     asks omp_get_max_threads() before each region and splits by it
 *   coarse    never asks, few regions of several milliseconds
 *   mixed     several different regions in turn, serial parts between them
 */
#include <omp.h>

#include "guest.h"

enum { kItems = 4096, kWorkPerItem = 24 };
static uint32_t data[kItems];
static Teams teams;

static uint64_t never(long round, long per_item) {
    uint64_t sum = 0;
    int threads = 0;
#pragma omp parallel reduction(+ : sum, threads)
    {
        threads += 1;
#pragma omp for
        for (int i = 0; i < kItems; ++i) sum += work(data[i] + (uint64_t)round, per_item);
    }
    count_team(&teams, threads);
    return sum;
}

static uint64_t again(long round) {
    const int n = omp_get_max_threads();
    uint64_t partial[256] = {0};
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    {
        const int t = omp_get_thread_num();
        threads += 1;
        for (int i = (int)((long)kItems * t / n); i < (int)((long)kItems * (t + 1) / n); ++i)
            partial[t] += work(data[i] + (uint64_t)round, kWorkPerItem);
    }
    count_team(&teams, threads);
    uint64_t sum = 0;
    for (int t = 0; t < n; ++t) sum += partial[t];
    return sum;
}

static uint64_t mixed(long round) {
    uint64_t sum = never(round, kWorkPerItem), max = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(max : max)
    for (int i = 0; i < kItems; ++i) {
        const uint64_t value = work(data[i] ^ (uint64_t)round, kWorkPerItem / 2);
        if (value > max) max = value;
    }
    if (round % 50 == 0) sum += work((uint64_t)round, 2000000);
    return mix(sum, max);
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const int is_coarse = is(given, "coarse");
    const long all = rounds(given, is_coarse ? 80 : is(given, "mixed") ? 4000 : 8000);
    uint64_t seed = 11, sum = 0;
    for (int i = 0; i < kItems; ++i) data[i] = (uint32_t)(seed = step(seed));
    for (long round = 0; round < all; ++round) {
        uint64_t value;
        if (is(given, "never"))
            value = never(round, kWorkPerItem);
        else if (is_coarse)
            value = never(round, kWorkPerItem * 100);
        else if (is(given, "again"))
            value = again(round);
        else if (is(given, "mixed"))
            value = mixed(round);
        else
            return no_such_mode(given);
        sum = mix(sum, value);
    }
    tell_teams(&teams);
    return finish(given, sum);
}
