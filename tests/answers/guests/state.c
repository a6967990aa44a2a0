/* SPDX-License-Identifier: BSD-3-Clause
 * state.c - programs whose threads remember something from one region to the next.
 *
 *   threadprivate   each thread adds to its own variable; the sum over the team is taken at the end
 *   copyin          threadprivate, started anew from the primary thread's value now and then
 *   thread_local    the same with __thread instead of the directive
 *   slots           an array indexed by thread number, larger than any team, without asking
 */
#include <omp.h>

#include "guest.h"

enum { kItems = 2048, kWorkPerItem = 24, kSlots = 256 };
static uint64_t mine;
#pragma omp threadprivate(mine)
static __thread uint64_t own;
static uint64_t slots[kSlots];

static uint64_t item(long round, int i) { return work((uint64_t)(round * kItems + i), kWorkPerItem); }

static uint64_t threadprivate_sum(long all) {
    for (long round = 0; round < all; ++round) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < kItems; ++i) mine += item(round, i);
    }
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += mine;
    return sum;
}

static uint64_t copied_in(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        if (round % 32 == 0) {
            mine = (uint64_t)round;
#pragma omp parallel copyin(mine)
            mine = step(mine + 1);
        }
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < kItems; ++i) sum += item(round, i) ^ mine;
    }
    return sum;
}

static uint64_t thread_local_sum(long all) {
    for (long round = 0; round < all; ++round) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < kItems; ++i) own += item(round, i);
    }
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += own;
    return sum;
}

static uint64_t slot_sum(long all) {
    for (long round = 0; round < all; ++round) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < kItems; ++i) slots[omp_get_thread_num()] += item(round, i);
    }
    uint64_t sum = 0;
    for (int t = 0; t < kSlots; ++t) sum += slots[t];
    return sum;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, 12000);
    if (is(given, "threadprivate")) return finish(given, threadprivate_sum(all));
    if (is(given, "copyin")) return finish(given, copied_in(all));
    if (is(given, "thread_local")) return finish(given, thread_local_sum(all));
    if (is(given, "slots")) return finish(given, slot_sum(all));
    return no_such_mode(given);
}
