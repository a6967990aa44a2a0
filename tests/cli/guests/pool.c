// SPDX-License-Identifier: BSD-3-Clause
// pool.c - a program with two threads of its own that compute until a signal ends it; no runtime that drom hooks.
#include <pthread.h>
#include <stdio.h>

static void* compute(void* argument) {
    for (volatile unsigned long i = 0;; ++i) {}
    return argument;
}

int main(void) {
    pthread_t other;
    puts("computing");
    fflush(stdout);
    if (pthread_create(&other, NULL, compute, NULL) != 0) return 1;
    compute(NULL);
    return 0;
}
