/* SPDX-License-Identifier: BSD-3-Clause
 * partition.c - programs that ask omp_get_max_threads() and split their data by the answer.
 *
 *   next      ask, run one region by the answer, ask again
 *   later     ask, run a region that does not use the answer, then two that do
 *   forever   ask once and use the answer to the end
 *   nested    a function that asked calls another one that asks, and goes on with its own answer
 *   twice     two call sites ask in turn; the arrays of the first live on while the second works
 *   clause    the answer goes into a num_threads clause
 *   static    arrays for each thread, allocated by the first call and never again
 *   late      regions that do not ask for a long time; then it asks and keeps the answer
 *   prints    asks only to print, at the start and at the end
 */
#include <omp.h>

#include "guest.h"

enum { kItems = 4096, kWorkPerItem = 24 };
static uint32_t data[kItems];
static Teams teams;

static void refill(uint64_t seed) {
    for (int i = 0; i < kItems; ++i) data[i] = (uint32_t)(seed = step(seed));
}

/* Returns the sum of slice t of n, as a program writes it that trusts n. */
static uint64_t slice(int t, int n, long round) {
    uint64_t sum = 0;
    for (int i = (int)((long)kItems * t / n); i < (int)((long)kItems * (t + 1) / n); ++i)
        sum += work(data[i] + (uint64_t)round, kWorkPerItem);
    return sum;
}

static uint64_t by_answer(int n, uint64_t* partial, long round) {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    {
        const int t = omp_get_thread_num();
        partial[t] = slice(t, n, round);
        threads += 1;
    }
    count_team(&teams, threads);
    uint64_t sum = 0;
    for (int t = 0; t < n; ++t) sum += partial[t];
    return sum;
}

static uint64_t* one_each(int n) {
    uint64_t* partial = calloc((size_t)n, sizeof *partial);
    if (!partial) exit(3);
    return partial;
}

static uint64_t unrelated(long round) {
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < kItems / 8; ++i) sum += work(data[i] ^ (uint64_t)round, kWorkPerItem);
    return sum;
}

static uint64_t next_region(long round) {
    const int n = omp_get_max_threads();
    uint64_t* partial = one_each(n);
    const uint64_t sum = by_answer(n, partial, round);
    free(partial);
    return sum;
}

static uint64_t later_region(long round) {
    const int n = omp_get_max_threads();
    uint64_t* partial = one_each(n);
    uint64_t sum = unrelated(round);
    sum += by_answer(n, partial, round);
    sum += unrelated(round + 1);
    sum += by_answer(n, partial, round + 2);
    free(partial);
    return sum;
}

static uint64_t callee(long round) {
    const int n = omp_get_max_threads();
    uint64_t* partial = one_each(n);
    const uint64_t sum = by_answer(n, partial, round);
    free(partial);
    return sum;
}

static uint64_t caller(long round) {
    const int n = omp_get_max_threads();
    uint64_t* partial = one_each(n);
    uint64_t sum = callee(round);
    sum += by_answer(n, partial, round + 7);
    sum += callee(round + 1);
    sum += by_answer(n, partial, round + 9);
    free(partial);
    return sum;
}

static uint64_t clause(long round) {
    const int n = omp_get_max_threads();
    uint64_t* partial = one_each(n);
#pragma omp parallel num_threads(n)
    partial[omp_get_thread_num()] = slice(omp_get_thread_num(), n, round);
    uint64_t sum = 0;
    for (int t = 0; t < n; ++t) sum += partial[t];
    free(partial);
    return sum;
}

static uint64_t static_arrays(long round) {
    static int n;
    static uint64_t* partial;
    if (!partial) {
        n = omp_get_max_threads();
        partial = one_each(n);
    }
    return by_answer(n, partial, round);
}

static uint64_t twice(long round) {
    static uint64_t* kept;
    static int n_kept;
    if (round % 16 == 0) {
        free(kept);
        n_kept = omp_get_max_threads();
        kept = one_each(n_kept);
    }
    return by_answer(n_kept, kept, round) + next_region(round);
}

static uint64_t late(long round, long all) {
    return round < all / 2 ? unrelated(round) + unrelated(round + 1) : static_arrays(round);
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, is(given, "later") || is(given, "nested") ? 4000 : 8000);
    uint64_t sum = 0;
    refill(42);
    if (is(given, "prints")) printf("threads at the start %d\n", omp_get_max_threads());
    const int n = is(given, "forever") ? omp_get_max_threads() : 0;
    uint64_t* partial = n ? one_each(n) : NULL;
    for (long round = 0; round < all; ++round) {
        uint64_t value;
        if (is(given, "next"))
            value = next_region(round);
        else if (is(given, "later"))
            value = later_region(round);
        else if (is(given, "forever"))
            value = by_answer(n, partial, round);
        else if (is(given, "nested"))
            value = caller(round);
        else if (is(given, "twice"))
            value = twice(round);
        else if (is(given, "clause"))
            value = clause(round);
        else if (is(given, "static"))
            value = static_arrays(round);
        else if (is(given, "late"))
            value = late(round, all);
        else if (is(given, "prints"))
            value = unrelated(round);
        else
            return no_such_mode(given);
        sum = mix(sum, value);
    }
    if (is(given, "prints")) printf("threads at the end %d\n", omp_get_max_threads());
    tell_teams(&teams);
    return finish(given, sum);
}
