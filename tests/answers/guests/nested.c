/* SPDX-License-Identifier: BSD-3-Clause
 * nested.c - regions inside regions.
 *
 *   two_levels   omp_set_max_active_levels(2); both levels take the default team
 *   clauses      num_threads(2) outside, num_threads(2) inside
 *   asks         the inner level splits by the answer of omp_get_max_threads() in the outer region
 *   serialized   one active level; inner regions have one thread
 *   teams_sum    inner partial sums indexed by (outer thread, inner thread) with sizes told by the regions
 */
#include <omp.h>

#include "guest.h"

enum { kItems = 1024, kWorkPerItem = 20 };

static uint64_t item(long round, int i) { return work((uint64_t)(round * kItems + i), kWorkPerItem); }

static uint64_t both_default(long round) {
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int half = 0; half < 2; ++half) {
        uint64_t inner = 0;
#pragma omp parallel for reduction(+ : inner)
        for (int i = half * kItems / 2; i < (half + 1) * kItems / 2; ++i) inner += item(round, i);
        sum += inner;
    }
    return sum;
}

static uint64_t both_clauses(long round) {
    uint64_t part[2][2] = {{0}};
#pragma omp parallel num_threads(2)
    {
        const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        {
            const int quarter = outer * 2 + omp_get_thread_num();
            for (int i = quarter * kItems / 4; i < (quarter + 1) * kItems / 4; ++i)
                part[outer][omp_get_thread_num()] += item(round, i);
        }
    }
    return part[0][0] + part[0][1] + part[1][0] + part[1][1];
}

static uint64_t inner_asks(long round) {
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int half = 0; half < 2; ++half) {
        const int n = omp_get_max_threads();
        uint64_t partial[256] = {0};
#pragma omp parallel
        {
            const int t = omp_get_thread_num();
            for (int i = kItems / 2 * t / n; i < kItems / 2 * (t + 1) / n; ++i)
                partial[t] += item(round, half * kItems / 2 + i);
        }
        for (int t = 0; t < n; ++t) sum += partial[t];
    }
    return sum;
}

static uint64_t told_sizes(long round) {
    static uint64_t partial[64][64];
    int outer_size = 0, inner_size[64] = {0};
    memset(partial, 0, sizeof partial);
#pragma omp parallel
    {
        const int o = omp_get_thread_num(), outer = omp_get_num_threads();
        if (o == 0) outer_size = outer;
#pragma omp parallel
        {
            const int t = omp_get_thread_num(), inner = omp_get_num_threads();
            if (t == 0) inner_size[o] = inner;
            const int begin = kItems * o / outer, end = kItems * (o + 1) / outer;
            for (int i = begin + (end - begin) * t / inner; i < begin + (end - begin) * (t + 1) / inner; ++i)
                partial[o][t] += item(round, i);
        }
    }
    uint64_t sum = 0;
    for (int o = 0; o < outer_size; ++o)
        for (int t = 0; t < inner_size[o]; ++t) sum += partial[o][t];
    return sum;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, 1500);
    uint64_t sum = 0;
    omp_set_max_active_levels(is(given, "serialized") ? 1 : 2);
    for (long round = 0; round < all; ++round) {
        uint64_t value;
        if (is(given, "two_levels") || is(given, "serialized"))
            value = both_default(round);
        else if (is(given, "clauses"))
            value = both_clauses(round);
        else if (is(given, "asks"))
            value = inner_asks(round);
        else if (is(given, "teams_sum"))
            value = told_sizes(round);
        else
            return no_such_mode(given);
        sum = mix(sum, value);
    }
    return finish(given, sum);
}
