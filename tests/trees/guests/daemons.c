// SPDX-License-Identifier: BSD-3-Clause
// daemons.c - starts one daemon after the other: fork, setsid, fork, and the parents end. Each daemon lives for a
// while, so that some are always between two parents.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(long ns) {
    struct timespec time = {0, ns};
    nanosleep(&time, 0);
}

int main(void) {
    for (;;) {
        const pid_t child = fork();
        if (child == 0) {
            setsid();
            if (fork() == 0) nap(200000000);
            _exit(0);
        }
        waitpid(child, 0, 0);
        nap(5000000);
    }
}
