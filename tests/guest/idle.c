/* SPDX-License-Identifier: BSD-3-Clause
 * idle.c - a program with regions of one thread and queries, between two marks: shows the work of the agent while
 * there is no request. The marks are calls of access() with names that do not exist, and counter_mark() when the
 * counter is loaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long body(long n) {
    long sum = 0;
    for (long i = 0; i < n; ++i) {
#pragma omp parallel reduction(+ : sum)
        sum += i;
        sum += omp_get_max_threads();
    }
    return sum;
}

int main(int argc, char** argv) {
    const long n = argc > 1 ? atol(argv[1]) : 100000;
    void (*mark)(const char*);
    *(void**)&mark = dlsym(RTLD_DEFAULT, "counter_mark");
    long sum = body(100);
    if (mark) mark("begin");
    access("/drom-test-begin", F_OK);
    sum += body(n);
    access("/drom-test-end", F_OK);
    if (mark) mark("end");
    printf("sum %ld\n", sum);
    return 0;
}
