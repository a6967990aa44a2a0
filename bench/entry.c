// SPDX-License-Identifier: BSD-3-Clause
// entry.c - what the agent's entry point adds to an empty region: the same regions, in turn through it and straight to
// the runtime.
//
//   entry ROUNDS REGIONS      prints a line per round: nanoseconds per region, through the first one and straight
//
// Built twice: with DROM_KMP for LLVM's runtime, without for GCC's. Both ways are taken in one process and alternate.
// So the machine's mood counts for both, and so do the addresses at which things were loaded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#ifdef DROM_KMP
static const char *const kEntry = "__kmpc_fork_call", *const kRuntime = "libomp.so.5";
typedef void outlined(int*, int*);
typedef void entry_point(void*, int, outlined*, ...);
static void body(int* global, int* local) { (void)global, (void)local; }
static void region(entry_point* enter) {
    static struct {
        int reserved, flags, more[2];
        const char* source;
    } location = {0, 2, {0, 0}, ";unknown;unknown;0;0;;"};
    enter(&location, 0, body);
}
#else
static const char *const kEntry = "GOMP_parallel", *const kRuntime = "libgomp.so.1";
typedef void entry_point(void (*)(void*), void*, unsigned, unsigned);
static void body(void* data) { (void)data; }
static void region(entry_point* enter) { enter(body, NULL, 0, 0); }
#endif

/// Does nothing: an ordinary region, so that the runtime is linked and running.
static void body_of_plain_region(void) { __asm__ volatile("" ::: "memory"); }

static double regions(entry_point* enter, long count) {
    const double begin = now_ns();
    for (long i = 0; i < count; ++i) region(enter);
    return (now_ns() - begin) / (double)count;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const long rounds = atol(argv[1]), count = atol(argv[2]);
#pragma omp parallel
    body_of_plain_region();
    void* runtime = dlopen(kRuntime, RTLD_LAZY | RTLD_NOLOAD);
    entry_point* first = runtime != NULL ? (entry_point*)dlsym(RTLD_DEFAULT, kEntry) : NULL;
    entry_point* straight = runtime != NULL ? (entry_point*)dlsym(runtime, kEntry) : NULL;
    if (first == NULL || straight == NULL) {
        fprintf(stderr, "entry: %s: no %s in this process\n", kRuntime, kEntry);
        return 1;
    }
    for (int i = 0; i < 20; ++i) region(first), regions(straight, count / 20);
    for (long i = 0; i < rounds; ++i) {
        const double through = regions(first, count);
        printf("%.2f %.2f\n", through, regions(straight, count));
    }
    return first == straight ? 3 : 0;
}
