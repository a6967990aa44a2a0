// SPDX-License-Identifier: BSD-3-Clause
// leaves.c - its first thread ends by pthread_exit, and another one soon after. All that they print is written as the
// process ends, and so is a word of its exit handler.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void at_exit(void) { printf("handler\n"); }

static void* work(void* unused) {
    usleep(50000);
    printf("worker\n");
    return unused;
}

int main(void) {
    pthread_t thread;
    atexit(at_exit);
    printf("first\n");
    if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
    pthread_detach(thread);
    pthread_exit(NULL);
}
