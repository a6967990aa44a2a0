/* SPDX-License-Identifier: BSD-3-Clause
 * blas.c - a packaged library that has regions and asks for numbers of threads itself: OpenBLAS built for OpenMP.
 *
 *   dgemm   matrix products, large and small in turn
 *   level2  matrix-vector products and rank-1 updates
 *
 * Entries are small whole numbers, so every sum is exact in any order.
 */
#include <cblas.h>

#include "guest.h"

enum { kLarge = 320, kSmall = 24 };

static void fill(double* cells, int n, uint64_t seed) {
    for (int i = 0; i < n; ++i) cells[i] = (double)((seed = step(seed)) % 64);
}

static uint64_t fold(const double* cells, int n, uint64_t sum) {
    for (int i = 0; i < n; ++i) sum = mix(sum, (uint64_t)(int64_t)cells[i]);
    return sum;
}

static uint64_t product(int n, const double* a, const double* b, double* c, uint64_t sum) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
    return fold(c, n * n, sum);
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const int is_level2 = is(given, "level2");
    if (!is_level2 && !is(given, "dgemm")) return no_such_mode(given);
    static double a[kLarge * kLarge], b[kLarge * kLarge], c[kLarge * kLarge];
    uint64_t sum = 0;
    for (long round = 0; round < rounds(given, is_level2 ? 15000 : 800); ++round) {
        if (round % 16 == 0) {
            fill(a, kLarge * kLarge, 5 + (uint64_t)round);
            fill(b, kLarge * kLarge, 9 + (uint64_t)round);
        }
        if (is_level2) {
            cblas_dgemv(CblasRowMajor, CblasNoTrans, kLarge, kLarge, 1.0, a, kLarge, b, 1, 0.0, c, 1);
            cblas_dger(CblasRowMajor, kLarge, kLarge, 1.0, b, 1, b + kLarge, 1, a, kLarge);
            sum = fold(c, kLarge, sum);
        } else {
            sum = product(kLarge, a, b, c, sum);
            for (int small = 0; small < 4; ++small) sum = product(kSmall, a + small * 100, b, c, sum);
        }
    }
    return finish(given, sum);
}
