/* SPDX-License-Identifier: BSD-3-Clause
 * sizes.c - programs that know the size of their team by another way than one question, or that set it themselves.
 *
 *   environment  OMP_NUM_THREADS, read by the program
 *   argument     the third argument
 *   online       sysconf(_SC_NPROCESSORS_ONLN)
 *   team_size    omp_get_team_size(1) in the first region
 *   procs        omp_get_num_procs() is kept, and omp_get_max_threads() is asked in each step, for a log only
 *   procs_each   num_threads(omp_get_num_procs()), with a new question each time
 *   comes        each region spins until as many threads have come as OMP_NUM_THREADS says
 *   asks         asks in its first region, which OMP_THREAD_LIMIT may have made smaller than OMP_NUM_THREADS
 *   sets_told    omp_set_num_threads() with the third argument
 *   sets_procs   omp_set_num_threads(omp_get_num_procs()), which changes nothing, and omp_get_max_threads() in each
 *   step
 *   sets_found   omp_set_num_threads(1) in the middle, found by dlsym() in the runtime's own handle
 *   sets_each    one function sets 1, another one sets the third argument, in turn
 *   clause       if clauses make every third region serial; each region says how large it is
 *   hands_on     asks in a region; arrays of that size go to a library that never asks
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <omp.h>
#include <unistd.h>

#include "guest.h"
#include "teams.h"

enum { kItems = 3000, kWorkPerItem = 96 };
static long logged;

static uint64_t item(long round, int i) { return work((uint64_t)(round * kItems + i), kWorkPerItem); }

/* Sums every `threads`-th item: if the team is smaller, some items are left out; if it is larger, some count twice. */
static uint64_t by_number(int threads, long round) {
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    for (int i = omp_get_thread_num(); i < kItems; i += threads) sum += item(round, i);
    return sum;
}

static uint64_t in_steps(long all, int threads, int logs) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        if (logs) logged += omp_get_max_threads();
        sum = mix(sum, by_number(threads, round));
    }
    return logs ? mix(sum, (uint64_t)logged) : sum;
}

static int from_environment(void) {
    const char* threads = getenv("OMP_NUM_THREADS");
    return threads ? atoi(threads) : omp_get_max_threads();
}

static int team_size(void) {
    int threads = 0;
#pragma omp parallel
    {
#pragma omp master
        threads = omp_get_team_size(1);
    }
    return threads;
}

static int asks(void) {
    int threads = 0;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
    }
    return threads;
}

static uint64_t comes(long all) {
    const int threads = from_environment();
    uint64_t sum = 0;
    for (long round = 1; round <= all; ++round) {
        int here = 0;
#pragma omp parallel reduction(+ : sum)
        {
            sum += work((uint64_t)(round + omp_get_thread_num()), 500000);
            __atomic_add_fetch(&here, 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(&here, __ATOMIC_ACQUIRE) < threads) continue;
        }
    }
    return sum;
}

/* Calls the runtime's own function, past libraries that come before it in the order of symbols. */
static void set_by_handle(int threads) {
    for (struct link_map* map = _r_debug.r_map; map; map = map->l_next) {
        if (!strstr(map->l_name, "libgomp.so") && !strstr(map->l_name, "libomp.so")) continue;
        void* handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
        void (*set)(int) = NULL;
        if (handle) *(void**)&set = dlsym(handle, "omp_set_num_threads");
        if (!set) exit(3);
        set(threads);
        return;
    }
    exit(3);
}

static uint64_t procs_each(long all) {
    enum { kMax = 1024 };
    uint64_t sum = 0, partial[kMax];
    for (long round = 0; round < all; ++round) {
#pragma omp parallel num_threads(omp_get_num_procs())
        {
            uint64_t own = 0;
            for (int i = omp_get_thread_num(); i < kItems; i += omp_get_num_procs()) own += item(round, i);
            partial[omp_get_thread_num() % kMax] = own;
        }
        for (int t = 0; t < omp_get_num_procs() && t < kMax; ++t) sum = mix(sum, partial[t]);
    }
    return sum;
}

static uint64_t one_region(long round) {
    uint64_t sum = 0;
    int threads = 0;
#pragma omp parallel reduction(+ : sum, threads)
    {
        threads += 1;
        sum += work((uint64_t)round, 90000);
    }
    return mix(sum, (uint64_t)threads);
}

static uint64_t other_region(long round) {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    return mix((uint64_t)round, (uint64_t)threads);
}

static uint64_t sets_found(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        if (round == all / 3) set_by_handle(1);
        sum = mix(sum, one_region(round));
        if (round > all / 2) sum = mix(sum, other_region(round)); /* a region that has not run before */
    }
    return sum;
}

static uint64_t sets_each(long all, int threads) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        omp_set_num_threads(1);
        sum = mix(sum, one_region(round));
        omp_set_num_threads(threads);
        sum = mix(sum, other_region(round));
    }
    return sum;
}

static uint64_t clause(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        int threads = 0, told = 0;
#pragma omp parallel if (round % 3) reduction(+ : threads) reduction(max : told)
        {
            threads += 1 + (work((uint64_t)round, 90000) == 1);
            told = omp_get_num_threads();
        }
        sum = mix(sum, (uint64_t)(threads * 100 + told));
    }
    return sum;
}

static uint64_t hands_on(long all) {
    const int threads = asks();
    uint64_t* partial = calloc((size_t)threads, sizeof *partial);
    uint64_t sum = 0;
    for (long round = 0; partial && round < all; ++round) {
        teams_by_number(partial, round);
        for (int t = 0; t < threads; ++t) sum = mix(sum, partial[t]);
    }
    free(partial);
    return sum;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const int told = argc > 3 ? atoi(argv[3]) : 2;
    const long many = rounds(given, 2000), few = rounds(given, 200);
    if (is(given, "environment")) return finish(given, in_steps(many, from_environment(), 0));
    if (is(given, "argument")) return finish(given, in_steps(many, told, 0));
    if (is(given, "online")) return finish(given, in_steps(many, (int)sysconf(_SC_NPROCESSORS_ONLN), 0));
    if (is(given, "team_size")) return finish(given, in_steps(many, team_size(), 0));
    if (is(given, "procs")) return finish(given, in_steps(many, omp_get_num_procs(), 1));
    if (is(given, "procs_each")) return finish(given, procs_each(many));
    if (is(given, "asks")) return finish(given, in_steps(many, asks(), 0));
    if (is(given, "comes")) return finish(given, comes(few));
    if (is(given, "sets_found")) return finish(given, sets_found(many));
    if (is(given, "sets_each")) return finish(given, sets_each(many, told));
    if (is(given, "clause")) return finish(given, clause(many));
    if (is(given, "hands_on")) return finish(given, hands_on(many));
    if (is(given, "sets_told") || is(given, "sets_procs")) {
        const int threads = is(given, "sets_told") ? told : omp_get_num_procs();
        omp_set_num_threads(threads);
        return finish(given, in_steps(many, threads, 1));
    }
    return no_such_mode(given);
}
