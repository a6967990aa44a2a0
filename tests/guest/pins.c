/* SPDX-License-Identifier: BSD-3-Clause
 * pins.c - a program that binds threads of its own: pins stack
 *
 *   stack   threads with the smallest stack, and a page of it in use, bind themselves */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static cpu_set_t one_cpu(void) {
    cpu_set_t cpus;
    int cpu = 0;
    sched_getaffinity(0, sizeof cpus, &cpus);
    while (!CPU_ISSET(cpu, &cpus)) ++cpu;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    return cpus;
}

static void* bind_thread(void* unused) {
    volatile char page[4096];
    const cpu_set_t cpus = one_cpu();
    memset((void*)page, 1, sizeof page);
    return pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus) == 0 && page[0] == 1 ? unused
                                                                                           : (void*)&bind_thread;
}

static int bind_small_threads(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    for (int i = 0; i < 10; ++i) {
        pthread_t thread;
        void* failed = 0;
        if (pthread_create(&thread, &attributes, bind_thread, 0) != 0) return 3;
        pthread_join(thread, &failed);
        if (failed != 0) return 4;
    }
    return 0;
}

int main(int argc, char** argv) {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads += 1;
    if (argc < 2 || strcmp(argv[1], "stack") != 0 || threads != 2) return 2;
    const int code = bind_small_threads();
    if (code == 0) puts("ok");
    return code;
}
