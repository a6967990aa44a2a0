/* SPDX-License-Identifier: BSD-3-Clause
 * bound.c - a program that binds threads by their attributes as it creates them, as libgomp does for OMP_PROC_BIND.
 *
 *   bound STOP
 *
 * It creates threads until the file STOP exists. It prints how many more threads ran than it created, how many had a
 * signal blocked, and whether it created any.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_long ran, blocked;

static void* count(void* unused) {
    sigset_t signals;
    pthread_sigmask(SIG_BLOCK, NULL, &signals);
    if (sigismember(&signals, SIGUSR1)) ++blocked;
    ++ran;
    return unused;
}

int main(int argc, char** argv) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    long created = 0;
#pragma omp parallel
    blocked = 0; /* a region makes it a client */
    puts("ready");
    fflush(stdout);
    while (argc > 1 && access(argv[1], F_OK) != 0) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        CPU_SET((int)(created % 2), &cpus);
        pthread_attr_setaffinity_np(&attributes, sizeof cpus, &cpus);
        pthread_t thread;
        if (pthread_create(&thread, &attributes, count, NULL) != 0) continue;
        ++created;
        pthread_join(thread, NULL);
    }
    usleep(300000); /* for threads that are not joined */
    printf("ran %ld too many, %ld with a signal blocked, %s\n", (long)ran - created, (long)blocked,
           created > 0 ? "some" : "none");
    return 0;
}
