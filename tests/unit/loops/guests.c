/* SPDX-License-Identifier: BSD-3-Clause
 * guests.c - loops that only GCC asks the thread count for, and questions of the program's own that look alike.
 *
 * GCC declares omp_get_num_threads() const, so in one function it merges the program's question with the loop's: there the same call
 * serves both, and what matters is whether the answer is used behind the division. */
#include "guests.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- the loop's question only ---- */

static void counts_in_int(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) data[i] *= 2;
}

static void counts_in_size(int n) {
    const size_t end = (size_t)n;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < end; i++) data[i] *= 2;
}

static void counts_in_steps(int n) {
#pragma omp parallel for
    for (long i = 1; i < n; i += 3) data[i] *= 2;
}

static void sums_up(int n) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += sqrt(data[i]);
    data[0] = sum;
}

static void two_loops(int n) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) data[i] *= 2;
#pragma omp for
        for (int i = 0; i < n; i++) data[i] += 2;
    }
}

static void nested_loop(int n) {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n / 8; i++)
        for (int j = 0; j < 8; j++) data[i * 8 + j] *= 2;
}

static void calls_others(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (i % 7 == 0) sink(i);
        sink_at(data + i);
    }
}

static void stencil(int n) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) {
        double sum = 0;
        for (int j = -1; j <= 1; j++)
            for (int k = 0; k < n; k += 5) sum += data[i + j] * data[k] * (i % 3 ? 1.5 : 0.5);
        data[i] = sum / (i + 1);
    }
}

static void knows_its_number(int n) {
#pragma omp parallel
    {
        const int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++) data[i] += me;
        per_thread[me]++;
    }
}

/* Calls that do not come back, where GCC ends the function with them. */

static void exits(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        data[i] += 1;
        if (data[i] < 0) exit(3);
    }
}

static void aborts(int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        sink_at(data + i);
        if (data[i] < 0) abort();
    }
}

static void asserts(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        assert(data[i] >= 0);
        data[i] = sqrt(data[i]);
    }
}

static void exits_from_a_sum(int n) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) collapse(2)
    for (int i = 0; i < n / 8; i++)
        for (int j = 0; j < 8; j++) {
            if (data[i * 8 + j] < 0) exit(j);
            sum += data[i * 8 + j];
        }
    data[0] = sum;
}

/* With -O1 GCC leaves such calls in the middle of the function, where nothing tells that they do not come back. */
#ifndef ENDS_IN_THE_MIDDLE
static void ends_in_several_ways(int n) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) {
            if (data[i] < 0) exit(i);
            if (data[i] > 1e300) abort();
            data[i] *= 2;
        }
#pragma omp for
        for (size_t i = 0; i < (size_t)n; i++) {
            assert(data[i] >= 0);
            sink_at(data + i);
        }
    }
}

/* The quotient is put away between the comparison and its branch, because the loop needs more registers than there are. */
static void runs_out_of_registers(int n) {
    double a = data[1], b = data[2], c = data[3];
    double *p = data + 8, *q = data + 16, *r = data + 24, *s = data + 32, *t = data + 40, *u = data + 48;
#pragma omp parallel for firstprivate(a, b, c, p, q, r, s, t, u)
    for (int i = 0; i < n; i++) {
        sink_at(p + i);
        const double x = a * p[i] + b * q[i] + c * r[i];
        sink_at(q + i);
        if (x > 1e300) exit(-1);
        s[i] = x > 0 ? t[i] : u[i];
        sink_at(r + i);
        t[i] += a * s[i];
        u[i] += b * t[i] + c;
    }
}
#endif

/* ---- answers that are kept ---- */

static void keeps_and_exits(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < n; i++) {
            sink_at(data + i);
            if (data[i] < 0) {
                kept = threads;
                exit(3);
            }
        }
    }
}

static void exits_with_the_answer(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < n; i++) {
            sink_at(data + i);
            if (data[i] < 0) exit(threads);
        }
    }
}

static void aborts_and_keeps_later(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < n; i++) {
            sink_at(data + i);
            if (data[i] < 0) abort();
        }
        per_thread[omp_get_thread_num()] = threads;
    }
}

static void stores_in_master(int n) {
    (void)n;
#pragma omp parallel
    {
#pragma omp master
        kept = omp_get_num_threads();
    }
}

static void cuts_by_hand_and_stores(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads(), me = omp_get_thread_num();
        int share = n / threads, rest = n % threads;
        if (me < rest) {
            share++;
            rest = 0;
        }
        const int first = share * me + rest;
        for (int i = first; i < first + share; i++) data[i] *= 2;
        if (me == 0) kept = threads;
    }
}

static void stores_bounds(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads(), me = omp_get_thread_num();
        per_thread[me] = n * me / threads;
    }
}

static void stores_after_a_loop(int n) {
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) data[i] *= 2;
        kept = omp_get_num_threads();
    }
}

static void stores_before_a_loop(int n) {
#pragma omp parallel
    {
        kept = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < n; i++) data[i] *= 2;
    }
}

static void stores_a_quotient(int n) {
#pragma omp parallel
    {
#pragma omp single
        kept = n / omp_get_num_threads();
    }
}

static void passes_on(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads(), me = omp_get_thread_num();
        const int share = n / threads, rest = n % threads;
        if (me < rest) sink(share);
        sink(threads);
    }
}

static void uses_in_second_loop(int n) {
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) data[i] *= 2;
#pragma omp for
        for (int i = 0; i < n; i++) data[i] /= omp_get_num_threads();
    }
}

static void uses_in_the_loop(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) per_thread[omp_get_thread_num()] = omp_get_num_threads();
}

#define ROW(function, keeps) {#function, function, keeps}
const struct guest GUESTS[] = {
    ROW(counts_in_int, 0),
    ROW(counts_in_size, 0),
    ROW(counts_in_steps, 0),
    ROW(sums_up, 0),
    ROW(two_loops, 0),
    ROW(nested_loop, 0),
    ROW(calls_others, 0),
    ROW(stencil, 0),
    ROW(knows_its_number, 0),
    ROW(exits, 0),
    ROW(aborts, 0),
    ROW(asserts, 0),
    ROW(exits_from_a_sum, 0),
#ifndef ENDS_IN_THE_MIDDLE
    ROW(ends_in_several_ways, 0),
    ROW(runs_out_of_registers, 0),
#endif
    ROW(keeps_and_exits, 1),
    ROW(exits_with_the_answer, 1),
    ROW(aborts_and_keeps_later, 1),
    ROW(stores_in_master, 1),
    ROW(stores_bounds, 1),
    ROW(cuts_by_hand_and_stores, 1),
    ROW(stores_after_a_loop, 1),
    ROW(stores_before_a_loop, 1),
    ROW(stores_a_quotient, 1),
    ROW(passes_on, 1),
    ROW(uses_in_second_loop, 1),
    ROW(uses_in_the_loop, 1),
    {NULL, NULL, 0},
};
