/* SPDX-License-Identifier: BSD-3-Clause
 * kept.c - programs that ask omp_get_num_threads() inside a region and use the answer outside it.
 *
 *   once      the first region asks, and all later ones are split by its answer
 *   single    the same, with the question in a single construct, where arrays are allocated
 *   each      every round has a region that asks and one that uses the answer
 *   late      regions that do not ask for a long time, then one that asks
 *   seldom    one region, executed many times, which asks only in its 1000th round
 *   procs     omp_get_num_procs() once, used as the number of parts
 */
#include <omp.h>

#include "guest.h"

enum { kItems = 4096, kWorkPerItem = 24 };
static uint32_t data[kItems];

static uint64_t slice(int t, int n, long round) {
    uint64_t sum = 0;
    for (int i = (int)((long)kItems * t / n); i < (int)((long)kItems * (t + 1) / n); ++i)
        sum += work(data[i] + (uint64_t)round, kWorkPerItem);
    return sum;
}

static uint64_t plain(long round) {
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < kItems; ++i) sum += work(data[i] ^ (uint64_t)round, kWorkPerItem);
    return sum;
}

static int told(void) {
    int n = 0;
#pragma omp parallel
    {
#pragma omp master
        n = omp_get_num_threads();
    }
    return n;
}

static uint64_t believe(int n, uint64_t* partial, long round) {
#pragma omp parallel
    partial[omp_get_thread_num()] = slice(omp_get_thread_num(), n, round);
    uint64_t sum = 0;
    for (int t = 0; t < n; ++t) sum += partial[t];
    return sum;
}

static uint64_t* one_each(int n) {
    uint64_t* partial = calloc((size_t)n, sizeof *partial);
    if (!partial) exit(3);
    return partial;
}

static uint64_t with_single(long round) {
    static int n;
    static uint64_t* partial;
#pragma omp parallel
    {
#pragma omp single
        if (!partial) {
            n = omp_get_num_threads();
            partial = one_each(n);
        }
        partial[omp_get_thread_num()] = slice(omp_get_thread_num(), n, round);
    }
    uint64_t sum = 0;
    for (int t = 0; t < n; ++t) sum += partial[t];
    return sum;
}

/* Splits the region by the last answer, or by worksharing as long as there is none. */
static uint64_t seldom(long round) {
    static int n;
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        if (round == 1000) {
#pragma omp single
            n = omp_get_num_threads();
        }
        if (n) {
            sum += slice(omp_get_thread_num(), n, round);
        } else {
#pragma omp for
            for (int i = 0; i < kItems; ++i) sum += work(data[i] + (uint64_t)round, kWorkPerItem);
        }
    }
    return sum;
}

static uint64_t each(long round) {
    const int n = told();
    uint64_t* partial = one_each(n);
    const uint64_t sum = believe(n, partial, round);
    free(partial);
    return sum;
}

static uint64_t kept_from(long round, long first) {
    static int n;
    static uint64_t* partial;
    if (round < first) return plain(round);
    if (!n) partial = one_each(n = told());
    return believe(n, partial, round);
}

static uint64_t by_procs(long round) {
    static int n;
    if (!n) n = omp_get_num_procs();
    uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (int part = 0; part < n; ++part) sum += slice(part, n, round) * (uint64_t)(part + 1);
    return sum;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, 8000);
    uint64_t seed = 7, sum = 0;
    for (int i = 0; i < kItems; ++i) data[i] = (uint32_t)(seed = step(seed));
    for (long round = 0; round < all; ++round) {
        uint64_t value;
        if (is(given, "once"))
            value = kept_from(round, 0);
        else if (is(given, "late"))
            value = kept_from(round, all / 2);
        else if (is(given, "single"))
            value = with_single(round);
        else if (is(given, "each"))
            value = each(round);
        else if (is(given, "seldom"))
            value = seldom(round);
        else if (is(given, "procs"))
            value = by_procs(round);
        else
            return no_such_mode(given);
        sum = mix(sum, value);
    }
    return finish(given, sum);
}
