// SPDX-License-Identifier: BSD-3-Clause
// small_stack.c - a thread with a small stack opens regions until the file is there: small_stack BYTES FILE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char* stop;

static void* open_regions(void* unused) {
    while (access(stop, F_OK) != 0) {
        int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
        threads += 1;
        usleep(500);
    }
    return unused;
}

int main(int argc, char** argv) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (argc < 3) return 2;
    stop = argv[2];
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, (size_t)atol(argv[1])) != 0) return 3;
    if (pthread_create(&thread, &attributes, open_regions, 0) != 0) return 4;
    pthread_join(thread, 0);
    puts("ok");
    return 0;
}
