// SPDX-License-Identifier: BSD-3-Clause
// rank.c - an ordinary MPI rank that says what it computed. Knows nothing of drom.
//
//   rank talk FILE         sends, receives and reduces until FILE is there; prints how much of what came was wrong
//   rank hold FILE         is in no MPI call until FILE is there
//   rank receive FILE      every rank but the first waits in MPI_Recv until FILE is there
//   rank teams FILE        opens regions of OpenMP between MPI calls until FILE is there, and prints its last team size
//   rank threads FILE      four threads, each sending to itself until FILE is there; prints what was wrong
//   rank turns FILE        the threads of a team send to the other ranks in turn, until FILE is there
//                          (MPI_THREAD_SERIALIZED); prints what was wrong
//   rank progress FILE     as talk, while a thread of its own makes MPI progress (MPI_THREAD_MULTIPLE); says whether
//                          that thread did
//   rank spawn FILE        starts another process by MPI_Comm_spawn, which does the same as hold; waits for its end
//   rank session FILE      initialises MPI by a session only, then does the same as hold; says when MPI has no sessions
//   rank probe             asks the loader for a procedure that MPI libraries of 2021 do not have, and calls it
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

/// Runs one round: a ring, a reduction, a broadcast and an all-to-all, each with a check of its result.
static long round_of(long i) {
    long wrong = 0;
    long sent = 1000 * i + rank, got = -1, sum = 0, root = i;
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(&sent, 1, MPI_LONG, next, 7, &got, 1, MPI_LONG, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += got != 1000 * i + last;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(&got, 1, MPI_LONG, last, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&sent, 1, MPI_LONG, next, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    wrong += got != 1000 * i + last;
    MPI_Allreduce(&sent, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != ranks * 1000 * i + ranks * (ranks - 1) / 2;
    MPI_Bcast(&root, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    wrong += root != i;
    // Nine arguments: three of them on the stack.
    int *counts = malloc(sizeof(int) * 2 * (size_t)ranks), *shifts = counts + ranks;
    MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * (size_t)ranks);
    long *out = malloc(sizeof(long) * 2 * (size_t)ranks), *in = out + ranks;
    for (int r = 0; r < ranks; ++r) {
        counts[r] = 1;
        shifts[r] = r * (int)sizeof(long);
        types[r] = MPI_LONG;
        out[r] = sent + 17 * r;
    }
    MPI_Alltoallw(out, counts, shifts, types, in, counts, shifts, types, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) wrong += in[r] != 1000 * i + r + 17 * rank;
    free(out);
    free(types);
    free(counts);
    return wrong;
}

static int is_there(const char* file) { return access(file, F_OK) == 0; }

/// Tells all ranks whether rank 0 goes on. False when the file is there.
static int all_go_on(const char* file) {
    int go = !is_there(file);
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return go;
}

static void talk(const char* file) {
    long wrong = 0, total = 0, rounds = 0;
    for (; all_go_on(file); ++rounds) wrong += round_of(rounds);
    MPI_Reduce(&wrong, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("ranks %d wrong %ld rounds %s\n", ranks, total, rounds > 10 ? "many" : "few");
}

static void receive(const char* file) {
    int word = 0;
    if (rank != 0) {
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d received %d\n", rank, word);
        return;
    }
    while (!is_there(file)) usleep(1000);
    word = 42;
    for (int r = 1; r < ranks; ++r) MPI_Send(&word, 1, MPI_INT, r, 0, MPI_COMM_WORLD);
}

static void teams(const char* file) {
    int size = 0, stop = 0;
    while (stop == 0) {
        // The threads are counted, because a program that asks OpenMP for their number gets an answer that must stay
        // true.
        size = 0;
#pragma omp parallel reduction(+ : size)
        size += 1;
        stop = is_there(file);
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
        usleep(500);
    }
    printf("rank %d team %d\n", rank, size);
}

static const char* stop_file;
static void* talk_to_itself(void* argument) {
    const int tag = *(const int*)argument;
    long wrong = 0;
    for (long i = 0; !is_there(stop_file); ++i) {
        long sent = 10 * i + tag, got = -1;
        MPI_Sendrecv(&sent, 1, MPI_LONG, rank, tag, &got, 1, MPI_LONG, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += got != sent;
    }
    return (void*)wrong;
}

static void threads(const char* file) {
    pthread_t thread[4];
    int tags[4] = {0, 1, 2, 3};
    long wrong = 0;
    stop_file = file;
    for (int i = 0; i < 4; ++i) pthread_create(&thread[i], NULL, talk_to_itself, &tags[i]);
    for (int i = 0; i < 4; ++i) {
        void* result = NULL;
        pthread_join(thread[i], &result);
        wrong += (long)result;
    }
    printf("threads wrong %ld\n", wrong);
}

static void turns(const char* file) {
    long wrong = 0, total = 0, rounds = 0;
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    for (; all_go_on(file); ++rounds) {
#pragma omp parallel for ordered schedule(static, 1) reduction(+ : wrong)
        for (int tag = 0; tag < 8; ++tag) {
#pragma omp ordered
            {
                long sent = 100 * rounds + 10 * rank + tag, got = -1;
                MPI_Sendrecv(&sent, 1, MPI_LONG, next, tag, &got, 1, MPI_LONG, last, tag, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                wrong += got != 100 * rounds + 10 * last + tag;
            }
        }
    }
    MPI_Reduce(&wrong, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("ranks %d wrong %ld rounds %s\n", ranks, total, rounds > 10 ? "many" : "few");
}

static volatile int progress_ended;
static void* make_progress(void* argument) {
    long* probes = argument;
    for (int found = 0; !progress_ended; ++*probes) {
        MPI_Iprobe(MPI_ANY_SOURCE, 4711, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        usleep(50);
    }
    return NULL;
}

static void progress(const char* file) {
    pthread_t thread;
    long probes = 0;
    if (pthread_create(&thread, NULL, make_progress, &probes) != 0) return;
    talk(file);
    progress_ended = 1;
    pthread_join(thread, NULL);
    if (rank == 0) printf("progress %s\n", probes > 10 ? "made" : "not made");
}

static void hold(const char* file) {
    while (!is_there(file)) usleep(1000);
}

static void spawn(char* self, char* file) {
    char* arguments[] = {"hold", file, NULL};
    MPI_Comm child;
    int done = 1;
    MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
    MPI_Bcast(&done, 1, MPI_INT, MPI_ROOT, child);
    MPI_Comm_disconnect(&child);
    puts("spawned one, which has ended");
}

/// Answers the parent, which waits, in a process that MPI_Comm_spawn started.
static void answer_parent(void) {
    MPI_Comm parent;
    int done = 0;
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) return;
    MPI_Bcast(&done, 1, MPI_INT, 0, parent);
    MPI_Comm_disconnect(&parent);
}

static int session(const char* file) {
#if MPI_VERSION >= 4
    MPI_Session session;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS) return 1;
    hold(file);
    puts("a session was held");
    return MPI_Session_finalize(&session) != MPI_SUCCESS;
#else
    (void)file;
    puts("no sessions in this MPI");
    return 0;
#endif
}

static void probe(void) {
    int (*send_c)(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm) =
        (int (*)(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm))dlsym(RTLD_DEFAULT, "MPI_Send_c");
    if (send_c == NULL) {
        puts("no MPI_Send_c");
        return;
    }
    int word = 0;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    puts(send_c(&word, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF) == MPI_SUCCESS ? "sent" : "failed");
}

static int level_of(const char* mode) {
    if (strcmp(mode, "threads") == 0 || strcmp(mode, "progress") == 0) return MPI_THREAD_MULTIPLE;
    return strcmp(mode, "turns") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    char* argument = argc > 2 ? argv[2] : "1";
    int given = 0;
    if (strcmp(mode, "session") == 0) return session(argument);
    const int level = level_of(mode);
    MPI_Init_thread(&argc, &argv, level, &given);
    if (given < level) return fprintf(stderr, "rank: this MPI gives thread level %d, not %d\n", given, level), 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(mode, "talk") == 0) talk(argument);
    if (strcmp(mode, "hold") == 0) hold(argument);
    if (strcmp(mode, "threads") == 0) threads(argument);
    if (strcmp(mode, "turns") == 0) turns(argument);
    if (strcmp(mode, "progress") == 0) progress(argument);
    if (strcmp(mode, "spawn") == 0) spawn(argv[0], argument);
    if (strcmp(mode, "receive") == 0) receive(argument);
    if (strcmp(mode, "teams") == 0) teams(argument);
    if (strcmp(mode, "probe") == 0) probe();
    answer_parent();
    MPI_Finalize();
    return 0;
}
