// SPDX-License-Identifier: BSD-3-Clause
// headless.c - a child whose first thread has ended: it looks like a zombie, and its other threads run and start
// processes.
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static void nap(void) {
    struct timespec time = {0, 20000000};
    nanosleep(&time, 0);
}

static void* work(void* argument) {
    if (fork() == 0)
        for (;;) nap();
    for (;;) nap();
    return argument;
}

int main(void) {
    pthread_t thread;
    if (fork() == 0) {
        if (pthread_create(&thread, 0, work, 0) != 0) return 1;
        pthread_exit(0);
    }
    for (;;) nap();
}
