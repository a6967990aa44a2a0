/* SPDX-License-Identifier: BSD-3-Clause
 * numbers.c - programs that know their threads by number, and so trust that the same team comes back. Most do not ask.
 *
 *   blocks     each thread keeps the block that it computed for itself: quotient and remainder, of which the first `r`
 *              threads get one more
 *   minimum    the same block by min(me, r)
 *   owners     owner[i] is noted in a static loop, and used in later regions
 *   slots      slot[me] is filled for a long time, and gathered by the threads themselves
 *   buckets    filled by thread number in one region, emptied by thread number in the next
 *   selves     the same with pthread_self() for the key
 *   counted    the threads count themselves by a reduction once; the number is kept
 *   streams    a random stream per thread, set up once
 *   seeded     a generator seeded by thread number in each region
 *   roles      thread 0 produces, thread 1 consumes behind a barrier
 *   waiting    thread 0 and thread 1 hand items to each other through a flag that they spin on
 *   barrier    a barrier of POSIX threads that counts the first team
 *   spinning   a barrier of the program's own that counts the first team, and spins
 */
#include <omp.h>
#include <pthread.h>

#include "guest.h"

enum { kItems = 3001, kWorkPerItem = 96, kMax = 256 };

static uint64_t item(long round, int i) { return work((uint64_t)(round * kItems + i), kWorkPerItem); }

static int low[kMax], high[kMax];

static void keep_block(void) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads(), me = omp_get_thread_num();
        int q = kItems / threads, r = kItems % threads;
        if (me < r) {
            ++q;
            r = 0;
        }
        low[me] = q * me + r;
        high[me] = low[me] + q;
    }
}

static void keep_minimum(void) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads(), me = omp_get_thread_num();
        const int q = kItems / threads, r = kItems % threads;
        low[me] = q * me + (me < r ? me : r);
        high[me] = low[me] + q + (me < r);
    }
}

static uint64_t by_blocks(long round) {
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const int me = omp_get_thread_num();
        for (int i = low[me]; i < high[me]; ++i) sum += item(round, i);
    }
    return sum;
}

static uint64_t blocks(long all, void (*keep)(void)) {
    uint64_t sum = 0;
    keep();
    for (long round = 0; round < all; ++round) sum = mix(sum, by_blocks(round));
    return sum;
}

static int owner[kItems];

static uint64_t by_owner(long round) {
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    for (int i = 0; i < kItems; ++i)
        if (owner[i] == omp_get_thread_num()) sum += item(round, i);
    return sum;
}

static uint64_t owners(long all) {
    uint64_t sum = 0;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < kItems; ++i) owner[i] = omp_get_thread_num();
    for (long round = 0; round < all; ++round) sum = mix(sum, by_owner(round));
    return sum;
}

static uint64_t slot[kMax];

static uint64_t slots(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < kItems; ++i) slot[omp_get_thread_num()] += item(round, i);
    }
#pragma omp parallel reduction(+ : sum)
    sum += slot[omp_get_thread_num()];
    return sum;
}

static struct {
    pthread_t thread;
    int used, count;
    uint64_t value[kItems];
} bucket[kMax];

static int my_bucket_by_self(void) {
    int found = -1;
#pragma omp critical
    for (int b = 0; found < 0; ++b) {
        if (bucket[b].used && !pthread_equal(bucket[b].thread, pthread_self())) continue;
        bucket[b].used = 1;
        bucket[b].thread = pthread_self();
        found = b;
    }
    return found;
}

static int my_bucket_by_number(void) { return omp_get_thread_num(); }

static uint64_t buckets(long all, int (*mine)(void)) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
#pragma omp parallel
        {
            const int b = mine();
#pragma omp for schedule(static)
            for (int i = 0; i < kItems; ++i) bucket[b].value[bucket[b].count++] = item(round, i);
        }
#pragma omp parallel reduction(+ : sum)
        for (const int b = mine(); bucket[b].count > 0;) sum += bucket[b].value[--bucket[b].count];
    }
    return sum;
}

static int count_threads(void) {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    return threads;
}

static uint64_t counted(long all) {
    const int threads = count_threads();
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
#pragma omp parallel reduction(+ : sum)
        for (int i = omp_get_thread_num(); i < kItems; i += threads) sum += item(round, i);
    }
    return sum;
}

static uint64_t stream[kMax];

static uint64_t streams(long all) {
    uint64_t sum = 0;
#pragma omp parallel
    stream[omp_get_thread_num()] = work((uint64_t)omp_get_thread_num() + 5, 10);
    for (long round = 0; round < all; ++round) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < kItems; ++i) {
            uint64_t* mine = &stream[omp_get_thread_num()];
            sum += (*mine = work(*mine, kWorkPerItem)) % 1000;
        }
    }
    return sum;
}

static uint64_t seeded(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
#pragma omp parallel reduction(+ : sum)
        {
            uint64_t random = work((uint64_t)(round * kMax + omp_get_thread_num()), 3);
#pragma omp for schedule(static)
            for (int i = 0; i < kItems; ++i) sum += (random = work(random, kWorkPerItem)) % 1000;
        }
    }
    return sum;
}

static uint64_t roles(long all) {
    static uint64_t queue[kItems];
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        int queued = 0;
#pragma omp parallel
        {
            if (omp_get_thread_num() == 0)
                for (; queued < kItems; ++queued) queue[queued] = item(round, queued);
#pragma omp barrier
            if (omp_get_thread_num() == 1)
                while (queued > 0) sum += queue[--queued];
        }
    }
    return sum;
}

/* Hands numbers from one thread to another. There are few hand-overs, because each takes a time slice or two while both
 * threads share a CPU. */
static uint64_t waiting(long all) {
    static volatile long given, taken;
    static uint64_t handed;
    uint64_t sum = 0;
#pragma omp parallel
    for (long n = 1; n <= all && omp_get_thread_num() < 2; ++n) {
        if (omp_get_thread_num() == 0) {
            handed = work((uint64_t)n, 500000);
            __atomic_store_n(&given, n, __ATOMIC_RELEASE);
            while (__atomic_load_n(&taken, __ATOMIC_ACQUIRE) < n) continue;
        } else {
            while (__atomic_load_n(&given, __ATOMIC_ACQUIRE) < n) continue;
            sum = mix(sum, handed);
            __atomic_store_n(&taken, n, __ATOMIC_RELEASE);
        }
    }
    return sum;
}

static uint64_t behind_barrier(long all) {
    pthread_barrier_t all_here;
    uint64_t sum = 0;
    if (pthread_barrier_init(&all_here, NULL, (unsigned)count_threads()) != 0) exit(3);
    for (long round = 0; round < all; ++round) {
#pragma omp parallel reduction(+ : sum)
        {
            const int me = omp_get_thread_num();
            slot[me] = work((uint64_t)(round + me), 60000);
            pthread_barrier_wait(&all_here);
            for (int t = 0; t < kMax; ++t) sum += slot[t] * (uint64_t)(t == me || slot[t] % 2);
            pthread_barrier_wait(&all_here);
        }
    }
    return sum;
}

static uint64_t behind_spinning(long all) {
    static long arrived;
    const long threads = count_threads();
    uint64_t sum = 0;
    for (long round = 1; round <= all; ++round) {
#pragma omp parallel reduction(+ : sum)
        {
            slot[omp_get_thread_num()] = work((uint64_t)(round + omp_get_thread_num()), 500000);
            __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < round * threads) continue;
            for (int t = 0; t < kMax; ++t) sum += slot[t];
        }
    }
    return sum;
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long many = rounds(given, 2000), few = rounds(given, 200);
    if (is(given, "blocks")) return finish(given, blocks(many, keep_block));
    if (is(given, "minimum")) return finish(given, blocks(many, keep_minimum));
    if (is(given, "owners")) return finish(given, owners(many));
    if (is(given, "slots")) return finish(given, slots(many));
    if (is(given, "buckets")) return finish(given, buckets(many, my_bucket_by_number));
    if (is(given, "selves")) return finish(given, buckets(many, my_bucket_by_self));
    if (is(given, "counted")) return finish(given, counted(many));
    if (is(given, "streams")) return finish(given, streams(many));
    if (is(given, "seeded")) return finish(given, seeded(many));
    if (is(given, "roles")) return finish(given, roles(many));
    if (is(given, "waiting")) return finish(given, waiting(few));
    if (is(given, "barrier")) return finish(given, behind_barrier(many));
    if (is(given, "spinning")) return finish(given, behind_spinning(few));
    return no_such_mode(given);
}
