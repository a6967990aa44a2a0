/* SPDX-License-Identifier: BSD-3-Clause
 * plugin.c - an OpenMP library that a program without OpenMP loads at run time (as Python does with its extensions). */
#include <omp.h>

__attribute__((visibility("default"))) long plugin_sum(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; ++round) {
        long part = 0;
#pragma omp parallel for reduction(+ : part)
        for (int i = 0; i < 20000; ++i) part += i ^ round;
        sum += part + omp_get_max_threads() * 0L;
    }
    return sum;
}
