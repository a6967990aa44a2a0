/* SPDX-License-Identifier: BSD-3-Clause
 * last.c - an OpenMP program whose first thread ends by pthread_exit; another one works until the file STOP exists
 * (at most 30 s). The program ends with that thread, prints its output, and runs its exit handler.
 *
 *   last STOP */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char* stop;

static void at_exit(void) {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    printf("exit handler, SIGTERM %s\n", sigismember(&blocked, SIGTERM) ? "blocked" : "free");
}

static void* work(void* unused) {
    for (int i = 0; i < 3000 && access(stop, F_OK) != 0; ++i) usleep(10000);
    printf("sum %d\n", omp_in_parallel() + 42);
    return unused;
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    stop = argv[1];
    atexit(at_exit);
    puts("ready");
    fflush(stdout);
    pthread_t worker;
    if (pthread_create(&worker, NULL, work, NULL) != 0) return 3;
    pthread_detach(worker);
    pthread_exit(NULL);
}
