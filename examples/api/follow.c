/* SPDX-License-Identifier: BSD-3-Clause
 * follow.c - a client that adopts masks itself: it polls between two pieces of work, and computes with one thread per
 * CPU.
 *
 *   follow        runs until it is terminated
 */
#include <drom/drom.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { kWords = 64, kMaxThreads = 64, kOperations = 2000000 };

static volatile sig_atomic_t terminated;

static void terminate(int signal) {
    (void)signal;
    terminated = 1;
}

static unsigned count_cpus(const uint64_t* mask) {
    unsigned count = 0;
    for (int word = 0; word < kWords; ++word) count += (unsigned)__builtin_popcountll(mask[word]);
    return count;
}

static void* compute(void* sum) {
    uint64_t state = 1;
    for (int i = 0; i < kOperations; ++i) state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    *(uint64_t*)sum += state;
    return NULL;
}

/* Returns whether all threads ran. They end before the next poll, so their number is free to change there. */
static int work(unsigned threads) {
    static uint64_t sums[kMaxThreads];
    pthread_t started[kMaxThreads];
    unsigned running = 0;
    while (running < threads && pthread_create(&started[running], NULL, compute, &sums[running]) == 0) ++running;
    for (unsigned i = 0; i < running; ++i) pthread_join(started[i], NULL);
    return running == threads;
}

/* Returns the number of threads to go on with. */
static unsigned poll_threads(unsigned threads) {
    drom_error error;
    uint64_t mask[kWords];
    const int status = drom_poll(mask, kWords, &error);
    if (status < 0) fprintf(stderr, "%s\n", error.text);
    if (status != DROM_OK) return threads;
    const unsigned cpus = count_cpus(mask);
    printf("follow: computes on %u CPU%s\n", cpus, cpus == 1 ? "" : "s");
    return cpus < kMaxThreads ? cpus : kMaxThreads;
}

int main(void) {
    drom_error error;
    unsigned threads = 1;
    signal(SIGTERM, terminate);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (drom_init(NULL, 0, NULL, &error) < 0) fprintf(stderr, "%s\n", error.text); /* it runs on without drom */
    while (!terminated) {
        threads = poll_threads(threads);
        if (!work(threads)) return 1;
    }
    drom_finalize(NULL);
    return 0;
}
