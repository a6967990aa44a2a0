// SPDX-License-Identifier: BSD-3-Clause
// forks.c - an OpenMP program that forks children while it runs: LLVM's runtime sets the affinity of each child when it
// is forked.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(long ns) {
    struct timespec time = {0, ns};
    nanosleep(&time, 0);
}

int main(void) {
    volatile int sum = 0;
    for (;;) {
#pragma omp parallel
        nap(2000000);
        sum += 1;
        const pid_t child = fork();
        if (child == 0) {
            nap(300000000);
            _exit(0);
        }
        while (waitpid(-1, 0, WNOHANG) > 0) {}
        nap(20000000);
    }
}
