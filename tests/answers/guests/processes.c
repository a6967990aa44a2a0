/* SPDX-License-Identifier: BSD-3-Clause
 * processes.c - programs that have other threads and other processes besides their team.
 *
 *   pthreads     three POSIX threads, each with regions of its own, split by the answer that each got
 *   fork         forks again and again between regions; the child works alone and reports by a pipe
 *   fork_first   forks before the first region; parent and child both have regions
 *   spawn        system() between regions
 *   daemon       closes every descriptor above 2 before it starts
 */
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

enum { kItems = 2048, kWorkPerItem = 24 };

static uint64_t split_region(long round) {
    const int n = omp_get_max_threads();
    uint64_t partial[256] = {0}, sum = 0;
#pragma omp parallel
    for (int i = kItems * omp_get_thread_num() / n; i < kItems * (omp_get_thread_num() + 1) / n; ++i)
        partial[omp_get_thread_num()] += work((uint64_t)(round * kItems + i), kWorkPerItem);
    for (int t = 0; t < n; ++t) sum += partial[t];
    return sum;
}

typedef struct Share {
    long begin, end;
    uint64_t sum;
} Share;

static void* own_regions(void* argument) {
    Share* share = argument;
    for (long round = share->begin; round < share->end; ++round) share->sum = mix(share->sum, split_region(round));
    return NULL;
}

static uint64_t pthreads(long all) {
    pthread_t thread[3];
    Share share[3];
    uint64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        share[i] = (Share){all * i / 3, all * (i + 1) / 3, 0};
        if (pthread_create(&thread[i], NULL, own_regions, &share[i])) exit(3);
    }
    for (int i = 0; i < 3; ++i) {
        pthread_join(thread[i], NULL);
        sum = mix(sum, share[i].sum);
    }
    return sum;
}

static uint64_t from_child(uint64_t (*job)(long), long round) {
    int ends[2], status;
    uint64_t value = 0;
    if (pipe(ends)) exit(3);
    const pid_t child = fork();
    if (child < 0) exit(3);
    if (child == 0) {
        value = job(round);
        _exit(write(ends[1], &value, sizeof value) == (ssize_t)sizeof value ? 0 : 3);
    }
    if (read(ends[0], &value, sizeof value) != (ssize_t)sizeof value) value = 0xdead;
    close(ends[0]);
    close(ends[1]);
    if (waitpid(child, &status, 0) != child || status != 0) value ^= 0xbad;
    return value;
}

static uint64_t alone(long round) { return work((uint64_t)round, 500000); }

static uint64_t many_regions(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) sum = mix(sum, split_region(round));
    return sum;
}

static uint64_t forking(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        sum = mix(sum, split_region(round));
        if (round % 200 == 100) sum = mix(sum, from_child(alone, round));
    }
    return sum;
}

static uint64_t spawning(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        sum = mix(sum, split_region(round));
        if (round % 400 == 200) sum = mix(sum, (uint64_t)system("test 1 = 1"));
    }
    return sum;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, 10000);
    if (is(given, "pthreads")) return finish(given, pthreads(all / 2));
    if (is(given, "fork")) return finish(given, forking(all));
    if (is(given, "fork_first")) {
        const uint64_t childs = from_child(many_regions, all / 4);
        return finish(given, mix(childs, many_regions(all / 2)));
    }
    if (is(given, "spawn")) return finish(given, spawning(all));
    if (is(given, "daemon")) {
        for (int fd = 3; fd < 1024; ++fd) close(fd);
        return finish(given, many_regions(all));
    }
    return no_such_mode(given);
}
