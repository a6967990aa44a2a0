/* SPDX-License-Identifier: BSD-3-Clause */
/* brief.c - work in threads and processes that begin during the window: brief FOLDER. Each thread works for 20 ms and
 * ends; after half a second a child process works, too. Ends when FOLDER/stop is there, or after two minutes. */
#include <pthread.h>
#include <sys/wait.h>

#include "clocks.h"

static void* work_once(void* clocks) {
    ((struct clocks*)clocks)->useful[0] += work(0.02);
    return NULL;
}

static void begin_and_end_threads(const char* folder, int number) {
    struct clocks* clocks = new_clocks(folder, number);
    const double end = seconds_of(CLOCK_MONOTONIC) + 120;
    while (!has_to_stop(folder) && seconds_of(CLOCK_MONOTONIC) < end) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work_once, clocks) != 0) exit(1);
        pthread_join(thread, NULL);
        clocks->now = seconds_of(CLOCK_MONOTONIC);
    }
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const pid_t child = fork();
    if (child == 0) {
        usleep(500000);
        begin_and_end_threads(argv[1], 1);
        return 0;
    }
    begin_and_end_threads(argv[1], 0);
    waitpid(child, NULL, 0);
    return 0;
}
