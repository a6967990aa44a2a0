// SPDX-License-Identifier: BSD-3-Clause
// regions.c - a plain OpenMP program to be measured: regions of a chosen length, one after the other.
//
//   regions calibrate             prints how many steps of work this machine does in a microsecond
//   regions KIND STEPS            KIND  follow: never asks how many threads there are; a loop is shared among them
//                                       keep:   asks once and partitions by that answer for ever
//                                       serial: one region, then the first thread works alone
//                                       nested: as follow, and each thread's part is done by a team of its own
//                                       barriers: one region, in which each step of the loop ends with a barrier
//                                 STEPS of work in a region, all threads together
// Prints "ready" after its first regions. Then, for each number read from its input, runs that many regions and prints
// the nanoseconds they took; for barriers, the processor time of the whole process. Ends with its input. It knows
// nothing of drom.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double read_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}
static double now_ns(void) { return read_ns(CLOCK_MONOTONIC); }

// Each step needs the one before: its time does not depend on what else the CPU could do meanwhile.
static double steps(long count) {
    double x = 0.5;
    for (long i = 0; i < count; ++i) x = x * 0.999999 + 1e-7;
    return x;
}

static volatile double sink;

static void empty(long work) {
    (void)work;
#pragma omp parallel
    __asm__ volatile("" ::: "memory");
}

// Many parts, so that any number of threads has about the same to do. A program that asks for the size of the team here
// keeps the answer.
enum { kParts = 64 };

static void follow(long work) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int part = 0; part < kParts; ++part) sum += steps(work / kParts);
    sink = sum;
}

static int kept = 0;
static double* parts;

static void keep(long work) {
#pragma omp parallel
    {
        const int me = omp_get_thread_num();
        if (me < kept) parts[16 * me] = steps(work / kept);
    }
}

static void nested(long work) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int half = 0; half < 2; ++half) {
        double part_of_it = 0;
#pragma omp parallel for schedule(static) reduction(+ : part_of_it)
        for (int part = 0; part < kParts / 2; ++part) part_of_it += steps(work / kParts);
        sum += part_of_it;
    }
    sink = sum;
}

static void serial(long work) { sink = steps(work); }

/// Returns the processor time that it took, in nanoseconds.
static double barriers(long count, long work) {
    const double begin = read_ns(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel
    {
        const int threads = omp_get_num_threads();
        double sum = 0;
        for (long i = 0; i < count; ++i) {
            sum += steps(work / threads);
#pragma omp barrier
        }
#pragma omp single
        sink = sum;
    }
    return read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

static void calibrate(void) {
    double best = 1e18;
    const long count = 1000000;
    for (int i = 0; i < 20; ++i) {
        const double begin = now_ns();
        sink = steps(count);
        const double took = now_ns() - begin;
        if (took < best) best = took;
    }
    printf("%.3f\n", (double)count / (best / 1000));
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "calibrate") == 0) {
        calibrate();
        return 0;
    }
    if (argc != 3) return 2;
    const long work = atol(argv[2]);
    void (*region)(long) = strcmp(argv[1], "keep") == 0 ? keep : work == 0 ? empty : follow;
    if (strcmp(argv[1], "nested") == 0) region = nested;
    if (region == keep) {
        kept = omp_get_max_threads();
        parts = calloc(16 * (size_t)kept, sizeof *parts);
        if (parts == NULL) return 1;
    }
    for (int i = 0; i < 20; ++i) region(work);
    if (strcmp(argv[1], "serial") == 0) region = serial;
    puts("ready");
    fflush(stdout);
    long count;
    while (scanf("%ld", &count) == 1) {
        const double begin = now_ns();
        if (strcmp(argv[1], "barriers") == 0) {
            printf("%.0f\n", barriers(count, work));
        } else {
            for (long i = 0; i < count; ++i) region(work);
            printf("%.0f\n", now_ns() - begin);
        }
        fflush(stdout);
    }
    return 0;
}
