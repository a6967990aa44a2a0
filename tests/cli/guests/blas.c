// SPDX-License-Identifier: BSD-3-Clause
// blas.c - a program over a BLAS with threads of its own, which multiplies until a signal ends it.
#include <cblas.h>
#include <stdlib.h>

int main(void) {
    const int n = 500;
    double* cells = calloc(3 * (size_t)n * (size_t)n, sizeof(double));
    if (cells == NULL) return 1;
    for (;;)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, cells, n, cells + n * n, n, 0.0,
                    cells + 2 * n * n, n);
}
