/* SPDX-License-Identifier: BSD-3-Clause
 * tasks.c - explicit tasks.
 *
 *   depend     a chain and a grid of tasks with dependences
 *   taskloop   taskloop with and without grainsize, inside single
 *   recurse    a recursive tree of tasks with taskwait
 *   group      taskgroup with untied tasks; one long region
 */
#include <omp.h>

#include "guest.h"

enum { kBlocks = 16, kWork = 3000 };

static uint64_t depending(long round) {
    uint64_t cell[kBlocks + 1] = {0};
    cell[0] = (uint64_t)round + 1;
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < 2; ++sweep)
        for (int b = 1; b <= kBlocks; ++b) {
#pragma omp task depend(in : cell[b - 1]) depend(inout : cell[b]) shared(cell) firstprivate(b)
            cell[b] = mix(work(cell[b - 1], kWork), cell[b]);
        }
    uint64_t sum = 0;
    for (int b = 0; b <= kBlocks; ++b) sum = mix(sum, cell[b]);
    return sum;
}

static uint64_t looping(long round) {
    uint64_t out[64];
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop
        for (int i = 0; i < 64; ++i) out[i] = work((uint64_t)(round + i), kWork / 4);
#pragma omp taskloop grainsize(4)
        for (int i = 0; i < 64; ++i) out[i] += work(out[i], kWork / 4);
    }
    uint64_t sum = 0;
    for (int i = 0; i < 64; ++i) sum = mix(sum, out[i]);
    return sum;
}

static uint64_t tree(uint64_t seed, int depth) {
    if (depth == 0) return work(seed, kWork / 2);
    uint64_t left, right;
#pragma omp task shared(left) firstprivate(seed, depth)
    left = tree(seed * 2, depth - 1);
#pragma omp task shared(right) firstprivate(seed, depth)
    right = tree(seed * 2 + 1, depth - 1);
#pragma omp taskwait
    return mix(left, right);
}

static uint64_t recursing(long round) {
    uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
    sum = tree((uint64_t)round + 1, 6);
    return sum;
}

static uint64_t grouped(long all) {
    uint64_t sum = 0;
#pragma omp parallel
#pragma omp master
    for (long round = 0; round < all; ++round) {
        uint64_t out[32];
#pragma omp taskgroup
        for (int i = 0; i < 32; ++i) {
#pragma omp task untied shared(out) firstprivate(i, round)
            out[i] = work((uint64_t)(round * 32 + i), kWork);
        }
        for (int i = 0; i < 32; ++i) sum = mix(sum, out[i]);
    }
    return sum;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, 8000);
    uint64_t sum = 0;
    if (is(given, "group")) return finish(given, grouped(all));
    for (long round = 0; round < all; ++round) {
        uint64_t value;
        if (is(given, "depend"))
            value = depending(round);
        else if (is(given, "taskloop"))
            value = looping(round);
        else if (is(given, "recurse"))
            value = recursing(round);
        else
            return no_such_mode(given);
        sum = mix(sum, value);
    }
    return finish(given, sum);
}
