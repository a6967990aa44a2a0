/* SPDX-License-Identifier: BSD-3-Clause
 * locals.c - thread-local state that is not in the object whose regions use it.
 *
 *   library    a library that is not linked to OpenMP keeps a sum per thread
 *   specific   pthread_getspecific()
 *   callback   the program's own variable, in regions that a library opens
 */
#include <omp.h>
#include <pthread.h>

#include "guest.h"
#include "teams.h"

enum { kItems = 3000, kWorkPerItem = 96 };

static pthread_key_t key;
static __thread uint64_t own;

static uint64_t item(long round, int i) { return work((uint64_t)(round * kItems + i), kWorkPerItem); }

static uint64_t in_library(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < kItems; ++i) tally_add(item(round, i));
    }
#pragma omp parallel reduction(+ : sum)
    sum += tally_of_this_thread();
    return sum;
}

static uint64_t* specific(void) {
    uint64_t* mine = pthread_getspecific(key);
    if (mine) return mine;
    mine = calloc(1, sizeof *mine);
    if (!mine || pthread_setspecific(key, mine) != 0) exit(3);
    return mine;
}

static uint64_t in_specific(long all) {
    uint64_t sum = 0;
    if (pthread_key_create(&key, NULL) != 0) exit(3);
    for (long round = 0; round < all; ++round) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < kItems; ++i) *specific() += item(round, i);
    }
#pragma omp parallel reduction(+ : sum)
    sum += *specific();
    return sum;
}

static void add_own(long round, int i) { own += item(round, i); }

static uint64_t gathered;
static void gather_own(void) { __atomic_add_fetch(&gathered, own, __ATOMIC_RELAXED); }

static uint64_t in_callback(long all) {
    for (long round = 0; round < all; ++round) teams_for_each(round, kItems, add_own);
    teams_once_each(gather_own);
    return gathered;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, 2000);
    if (is(given, "library")) return finish(given, in_library(all));
    if (is(given, "specific")) return finish(given, in_specific(all));
    if (is(given, "callback")) return finish(given, in_callback(all));
    return no_such_mode(given);
}
