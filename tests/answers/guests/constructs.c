/* SPDX-License-Identifier: BSD-3-Clause
 * constructs.c - the other constructs, each in a region of its own, and calls that set the size of later teams.
 *
 *   reductions   + * max min ^ | in one region; user-defined and array reductions
 *   sections     sections, single with copyprivate, ordered, critical, atomic, lastprivate
 *   schedules    static with chunk, dynamic, guided, runtime, collapse
 *   numthreads   num_threads clauses of 1, 2, 3 and an expression; if clauses
 *   sets         omp_set_num_threads(1, 2, 3, ...) by the program, split by the number that it set
 *   echoes       omp_set_num_threads(omp_get_max_threads()) before each region, as some libraries do
 *   lowers       omp_set_num_threads(1) around a part that must be serial, then back to the answer it had
 *   dynamic      omp_set_dynamic(1): the runtime may give fewer
 */
#include <omp.h>

#include "guest.h"

enum { kItems = 2048, kWorkPerItem = 20 };
static Teams teams;

static uint64_t item(long round, int i) { return work((uint64_t)(round * kItems + i), kWorkPerItem); }
static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
#pragma omp declare reduction(largest:uint64_t : omp_out = larger(omp_out, omp_in)) initializer(omp_priv = 0)

static uint64_t reductions(long round) {
    uint64_t sum = 0, product = 1, highest = 0, lowest = UINT64_MAX, toggles = 0, any = 0, own = 0, bins[8] = {0};
#pragma omp parallel for reduction(+ : sum, bins) reduction(* : product) reduction(max : highest) \
    reduction(min : lowest) reduction(^ : toggles) reduction(| : any) reduction(largest : own)
    for (int i = 0; i < kItems; ++i) {
        const uint64_t value = item(round, i);
        sum += value;
        product *= value | 1;
        if (value > highest) highest = value;
        if (value < lowest) lowest = value;
        toggles ^= value;
        any |= value & 0xff00;
        own = larger(own, value ^ 0x5555);
        bins[value & 7] += 1;
    }
    uint64_t all = mix(mix(mix(sum, product), mix(highest, lowest)), mix(mix(toggles, any), own));
    for (int b = 0; b < 8; ++b) all = mix(all, bins[b]);
    return all;
}

static uint64_t sections(long round) {
    uint64_t part[4] = {0}, in_order = 0, guarded = 0, last = 0, counted = 0;
#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            part[0] = item(round, 0);
#pragma omp section
            part[1] = item(round, 1);
#pragma omp section
            part[2] = item(round, 2);
#pragma omp section
            part[3] = item(round, 3);
        }
        uint64_t chosen = 0;
#pragma omp single copyprivate(chosen)
        chosen = item(round, 4);
#pragma omp for ordered schedule(static, 8) lastprivate(last)
        for (int i = 0; i < 64; ++i) {
            last = item(round, i) + chosen;
#pragma omp ordered
            in_order = mix(in_order, last);
        }
#pragma omp for
        for (int i = 0; i < kItems / 4; ++i) {
            const uint64_t value = item(round, i);
#pragma omp critical
            guarded += value;
#pragma omp atomic
            counted += value >> 1;
        }
    }
    return mix(mix(mix(part[0], part[1]), mix(part[2], part[3])), mix(mix(in_order, guarded), mix(last, counted)));
}

static uint64_t schedules(long round) {
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for schedule(static, 7) nowait
        for (int i = 0; i < kItems / 4; ++i) sum += item(round, i);
#pragma omp for schedule(dynamic, 16)
        for (int i = 0; i < kItems / 4; ++i) sum += item(round + 1, i);
#pragma omp for schedule(guided)
        for (int i = 0; i < kItems / 4; ++i) sum += item(round + 2, i);
#pragma omp for schedule(runtime) collapse(2)
        for (int i = 0; i < 16; ++i)
            for (int j = 0; j < kItems / 64; ++j) sum += item(round + 3, i * 100 + j);
    }
    return sum;
}

/* Splits by `n`, the number of the clause or the call, without asking whether the team is that large. */
static uint64_t split(long round, int n, int with_clause) {
    uint64_t partial[256] = {0};
#pragma omp parallel num_threads(n) if (with_clause)
    for (int i = kItems * omp_get_thread_num() / n; with_clause && i < kItems * (omp_get_thread_num() + 1) / n; ++i)
        partial[omp_get_thread_num()] += item(round, i);
    if (!with_clause) {
#pragma omp parallel
        for (int i = kItems * omp_get_thread_num() / n; i < kItems * (omp_get_thread_num() + 1) / n; ++i)
            partial[omp_get_thread_num()] += item(round, i);
    }
    uint64_t sum = 0;
    for (int t = 0; t < n; ++t) sum += partial[t];
    return sum;
}

static uint64_t numthreads(long round) {
    uint64_t sum = split(round, 1, 1) + split(round, 2, 1) + split(round, 1 + (int)(round % 3), 1);
#pragma omp parallel for if (round % 2) reduction(+ : sum)
    for (int i = 0; i < kItems / 2; ++i) sum += item(round, i);
    return sum;
}

static uint64_t sets(long round) {
    const int n = 1 + (int)(round / 7 % 3);
    omp_set_num_threads(n);
    return split(round, n, 0);
}

static uint64_t echoes(long round) {
    const int n = omp_get_max_threads();
    omp_set_num_threads(n);
    return split(round, n, 0);
}

static uint64_t lowers(long round) {
    const int n = omp_get_max_threads();
    uint64_t sum = split(round, n, 0);
    omp_set_num_threads(1);
    sum += split(round + 1, 1, 0);
    omp_set_num_threads(n);
    return sum + split(round + 2, n, 0);
}

static uint64_t plain(long round) {
    uint64_t sum = 0;
    int threads = 0;
#pragma omp parallel reduction(+ : sum, threads)
    {
        threads += 1;
#pragma omp for
        for (int i = 0; i < kItems; ++i) sum += item(round, i);
    }
    count_team(&teams, threads);
    return sum;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, is(given, "numthreads") || is(given, "lowers") ? 3000 : 8000);
    uint64_t sum = 0;
    omp_set_dynamic(is(given, "dynamic"));
    for (long round = 0; round < all; ++round) {
        uint64_t value;
        if (is(given, "reductions"))
            value = reductions(round);
        else if (is(given, "sections"))
            value = sections(round);
        else if (is(given, "schedules"))
            value = schedules(round);
        else if (is(given, "numthreads"))
            value = numthreads(round);
        else if (is(given, "sets"))
            value = sets(round);
        else if (is(given, "echoes"))
            value = echoes(round);
        else if (is(given, "lowers"))
            value = lowers(round);
        else if (is(given, "dynamic"))
            value = plain(round);
        else
            return no_such_mode(given);
        sum = mix(sum, value);
    }
    tell_teams(&teams);
    return finish(given, sum);
}
