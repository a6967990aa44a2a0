/* SPDX-License-Identifier: BSD-3-Clause */
/* short.c - a program of 20 ms of CPU time, as compilers and scripts start by the hundred. */
#include <time.h>

int main(void) {
    struct timespec now;
    do {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    } while (now.tv_sec == 0 && now.tv_nsec < 20000000);
    return 0;
}
