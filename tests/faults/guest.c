/* SPDX-License-Identifier: BSD-3-Clause
 * guest.c - an OpenMP program that knows nothing of drom: exit status 0 when its sums are right.
 */
#include <omp.h>

static long sum_to(long n) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 1; i <= n; ++i) sum += i;
    return sum;
}

int main(void) {
    for (long n = 100; n < 110; ++n)
        if (sum_to(n) != n * (n + 1) / 2) return 1;
    return omp_get_max_threads() > 0 ? 0 : 2;
}
