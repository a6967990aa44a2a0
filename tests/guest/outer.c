/* SPDX-License-Identifier: BSD-3-Clause
 * outer.c - an OpenMP program with a pthread_create of its own, which comes before every library's, as in a program
 * that is built with a sanitizer. A call that comes back into it is counted; clang 19's AddressSanitizer would wait
 * for ever. It runs until the file STOP exists (at most 60 s).
 *
 *   outer STOP */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static __thread int inside;
static int nested;

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = dlsym(RTLD_NEXT, "pthread_create");
    if (inside++ != 0) __atomic_add_fetch(&nested, 1, __ATOMIC_RELAXED);
    const int code = next(thread, attributes, start, argument);
    --inside;
    return code;
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    int threads = 0;
#pragma omp parallel
    {
#pragma omp atomic
        ++threads;
    }
    puts("ready");
    fflush(stdout);
    for (const time_t end = time(NULL) + 60; time(NULL) < end && access(argv[1], F_OK) != 0;) usleep(10000);
    printf("sum %d\n", nested);
    return threads == 2 ? 0 : 3;
}
