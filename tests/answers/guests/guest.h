/* SPDX-License-Identifier: BSD-3-Clause
 * guest.h - the common code of the guest programs of the answers suite: arguments, integer work, the closing line.
 *
 * A guest is an ordinary OpenMP program that knows nothing of drom. `guest MODE SCALE` prints a result on stdout that
 * depends on nothing but MODE, SCALE and the number of threads it was started with: integers only, so no order of
 * addition matters. Its team sizes go to stderr, which is not compared.
 */
#ifndef GUEST_H
#define GUEST_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Arguments {
    const char* mode;
    int scale; /* 100: about a second */
} Arguments;

static inline Arguments arguments(int argc, char** argv) {
    Arguments given = {"", 100};
    if (argc > 1) given.mode = argv[1];
    if (argc > 2) given.scale = atoi(argv[2]);
    if (given.scale < 1) given.scale = 1;
    return given;
}

static inline int is(Arguments given, const char* mode) { return strcmp(given.mode, mode) == 0; }

/* Returns the number of repetitions; `full` of them take a second. */
static inline long rounds(Arguments given, long full) {
    const long scaled = full * given.scale / 100;
    return scaled < 3 ? 3 : scaled;
}

/* Returns one step of a generator: cheap, the same everywhere, and no compiler computes it in advance. */
static inline uint64_t step(uint64_t x) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

/* Returns the result of `n` steps from `seed`: about a nanosecond per step. */
static inline uint64_t work(uint64_t seed, long n) {
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    for (long i = 0; i < n; ++i) x = step(x);
    return x;
}

static inline uint64_t mix(uint64_t sum, uint64_t value) { return (sum ^ value) * 0x100000001b3u + (value >> 32); }

static inline int no_such_mode(Arguments given) {
    fprintf(stderr, "guest: mode '%s' is not one of this program's\n", given.mode);
    return 2;
}

static inline int finish(Arguments given, uint64_t sum) {
    printf("%s checksum %016" PRIx64 "\n", given.mode, sum);
    return 0;
}

/* The number of teams of each size, by counting threads and not by asking. */
typedef struct Teams {
    long seen[65];
} Teams;

static inline void count_team(Teams* teams, int size) { ++teams->seen[size < 0 ? 0 : size > 64 ? 64 : size]; }

static inline void tell_teams(const Teams* teams) {
    fprintf(stderr, "teams");
    for (int size = 1; size <= 64; ++size)
        if (teams->seen[size]) fprintf(stderr, " %d:%ld", size, teams->seen[size]);
    fprintf(stderr, "\n");
}

#endif
