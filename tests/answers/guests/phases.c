/* SPDX-License-Identifier: BSD-3-Clause
 * phases.c - programs that are seldom at the start of a region.
 *
 *   serial     long serial parts, a region now and then
 *   long       one region from the beginning to the end, with barriers in it
 *   endless    one region without any barrier
 *   blocked    the primary thread sleeps in the kernel between regions
 *   flags      two threads of one region wait for each other by spinning on flags of their own
 *   idle       one region, then only serial work: the workers have nothing to do
 *   pins       threads set their own affinity, by each call there is, to all CPUs of the start or to the last of these
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

static uint64_t region(long round, int n) {
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += work((uint64_t)(round * n + i), 1000);
    return sum;
}

static uint64_t serial(long rounds) {
    uint64_t sum = 0;
    for (long round = 0; round < rounds; ++round) sum = mix(sum, region(round, 400) + work((uint64_t)round, 30000000));
    return sum;
}

static uint64_t one_long(long rounds, int barriers) {
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const int t = omp_get_thread_num(), n = omp_get_num_threads();
        for (long round = 0; round < rounds; ++round) {
            for (int i = 64 * t / n; i < 64 * (t + 1) / n; ++i) sum += work((uint64_t)(round * 64 + i), 10000);
            if (barriers) {
#pragma omp barrier
            }
        }
    }
    return sum;
}

static uint64_t blocked(long rounds) {
    uint64_t sum = 0;
    for (long round = 0; round < rounds; ++round) {
        const struct timespec nap = {0, 20000000};
        nanosleep(&nap, NULL);
        sum = mix(sum, region(round, 400));
    }
    return sum;
}

/* Runs a pipeline of two threads: each hands a value to the other. There are few hand-overs, since each may cost a time
 * slice on one CPU. */
static uint64_t flags(long rounds) {
    uint64_t value = 1;
    int turn = 0;
#pragma omp parallel num_threads(2)
    {
        const int t = omp_get_thread_num(), alone = omp_get_num_threads() == 1;
        for (long round = 0; round < rounds * (alone ? 2 : 1); ++round) {
            int whose;
            do {
#pragma omp atomic read acquire
                whose = turn;
            } while (!alone && whose != t);
            value = mix(work(value, 1000000), (uint64_t)round / (alone ? 2 : 1));
#pragma omp atomic write release
            turn = !t;
        }
    }
    return value;
}

static cpu_set_t all, last;

static void note_cpus(void) {
    sched_getaffinity(0, sizeof all, &all);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &all)) continue;
        CPU_ZERO(&last);
        CPU_SET(cpu, &last);
    }
}

static int pin(long round) {
    const cpu_set_t* mask = round / 3 % 2 ? &last : &all;
    if (round % 3 == 0) return sched_setaffinity(0, sizeof *mask, mask);
    if (round % 3 == 1) return pthread_setaffinity_np(pthread_self(), sizeof *mask, mask);
    return (int)syscall(SYS_sched_setaffinity, 0, sizeof *mask, mask);
}

static uint64_t pins(long rounds) {
    uint64_t sum = 0;
    int failures = 0;
    for (long round = 0; round < rounds; ++round) {
#pragma omp parallel for reduction(+ : sum, failures) schedule(static, 1)
        for (int i = 0; i < 400; ++i) {
            if (i % 100 == 0) failures += pin(round) != 0;
            sum += work((uint64_t)(round * 400 + i), 1000);
        }
    }
    return mix(sum, (uint64_t)failures);
}

int main(int argc, char** argv) {
    note_cpus();
    const Arguments given = arguments(argc, argv);
    if (is(given, "serial")) return finish(given, serial(rounds(given, 20)));
    if (is(given, "long")) return finish(given, one_long(rounds(given, 1500), 1));
    if (is(given, "endless")) return finish(given, one_long(rounds(given, 1500), 0));
    if (is(given, "blocked")) return finish(given, blocked(rounds(given, 40)));
    if (is(given, "flags")) return finish(given, flags(rounds(given, 300)));
    if (is(given, "pins")) return finish(given, pins(rounds(given, 1500)));
    if (is(given, "idle")) {
        const uint64_t first = region(1, 4000);
        return finish(given, mix(first, work(1, rounds(given, 600000000))));
    }
    return no_such_mode(given);
}
