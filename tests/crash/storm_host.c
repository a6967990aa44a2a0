/* SPDX-License-Identifier: BSD-3-Clause
 * storm_host.c - an OpenMP program that knows nothing of drom, and counts in a file how often its result was right.
 *
 *   storm_host FILE PLACE     FILE holds pairs of 64-bit numbers, {right, wrong}; it never ends by itself
 *
 * Its work is split by the number of threads that it was told beforehand, as programs do.
 */
#include <fcntl.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kItems = 20000, kMaxThreads = 256 };

static int64_t item(int i) { return i ^ (i >> 3); }

static int64_t by_the_team(void) {
    static int64_t part[kMaxThreads];
    int threads = omp_get_max_threads();
    if (threads > kMaxThreads) threads = kMaxThreads;
    for (int t = 0; t < threads; ++t) part[t] = 0;
#pragma omp parallel num_threads(threads)
    {
        const int me = omp_get_thread_num(), all = omp_get_num_threads();
        int64_t sum = 0;
        for (int i = me; i < kItems; i += all) sum += item(i);
        part[me] = sum;
    }
    int64_t sum = 0;
    for (int t = 0; t < threads; ++t) sum += part[t];
    return sum;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const int file = open(argv[1], O_RDWR | O_CLOEXEC);
    uint64_t* const pairs = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (pairs == MAP_FAILED) return 3;
    uint64_t* const mine = pairs + 2 * atoi(argv[2]);
    int64_t expected = 0;
    for (int i = 0; i < kItems; ++i) expected += item(i);
    for (;;) {
        __atomic_fetch_add(&mine[by_the_team() == expected ? 0 : 1], 1, __ATOMIC_RELAXED);
        usleep(500); /* on two CPUs a storm of others has to run, too */
    }
}
