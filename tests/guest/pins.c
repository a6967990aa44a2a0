/* SPDX-License-Identifier: BSD-3-Clause
 * pins.c - a program that binds threads of its own: pins stack | vfork FILE
 *
 *   stack   threads with the smallest stack, and a page of it in use, bind themselves
 *   vfork   once FILE is there, children of vfork bind themselves; then prints how many CPUs there are */
#define _GNU_SOURCE
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static int bind_children(const char* file) {
    while (access(file, F_OK) != 0) usleep(500);
    const cpu_set_t cpus = one_cpu();
    for (int i = 0; i < 3; ++i) {
        const pid_t child = vfork();
        if (child == 0) _exit(sched_setaffinity(0, sizeof cpus, &cpus));
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 5;
    }
    printf("%d CPUs\n", omp_get_num_procs());
    return 0;
}

int main(int argc, char** argv) {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads += 1;
    if (argc < 2 || threads != 2) return 2;
    const int code = argc == 2 ? bind_small_threads() : bind_children(argv[2]);
    if (code == 0) puts("ok");
    return code;
}
