/* SPDX-License-Identifier: BSD-3-Clause
 * other.c - a library that is built for another OpenMP runtime than the program that loads it. */
#include <omp.h>

int other_team(void) {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

int other_set(int size) {
    omp_set_num_threads(size);
    return omp_get_max_threads();
}
