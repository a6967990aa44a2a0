/* SPDX-License-Identifier: BSD-3-Clause */
/* clocks.h - the program's own clocks: how long its threads have worked, in a file that a test reads meanwhile. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 8 };

/* One file per process: the time of its last change, and the CPU time of each thread's work until then. */
struct clocks {
    double now;
    double useful[kThreads];
};

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Works until the thread has used so much CPU time more. Returns what it used. */
static double work(double seconds) {
    const double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    double now = begin;
    while (now < begin + seconds) {
        for (volatile int i = 0; i < 20000; ++i) continue;
        now = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    }
    return now - begin;
}

/* Makes the file FOLDER/NUMBER. */
static struct clocks* new_clocks(const char* folder, int number) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", folder, number);
    const int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(struct clocks)) != 0) exit(1);
    struct clocks* made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (made == MAP_FAILED) exit(1);
    return made;
}

static int has_to_stop(const char* folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/stop", folder);
    return access(path, F_OK) == 0;
}
