/* SPDX-License-Identifier: BSD-3-Clause
 * check.h - what the tests of DLB's interface share: a check that ends the test, a table of its own, children that are
 * never left over. */
#ifndef DROM_TEST_CHECK_H
#define DROM_TEST_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlb.h>
#include <dlb_drom.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Evaluates the call and its expected result once each. */
#define CHECK(got, expected) check_equal((got), (expected), #got, __FILE__, __LINE__)
#define CHECK_MASK(mask, bits) check_equal((int)mask_bits(&(mask)), (bits), "the mask " #mask, __FILE__, __LINE__)

enum { kCheckPath = 1024 };
static char check_folder[kCheckPath];
static pid_t check_owner;

static int check_remove(const char* path, const struct stat* info, int type, struct FTW* where) {
    (void)info, (void)type, (void)where;
    return remove(path);
}

static void check_clean(void) {
    if (getpid() == check_owner) nftw(check_folder, check_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static void check_equal(long got, long expected, const char* what, const char* file, int line) {
    if (got == expected) return;
    fprintf(stderr, "%s:%d: %s is %ld, not %ld\n", file, line, what, got, expected);
    if (getpid() == check_owner) exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

static inline unsigned mask_bits(const cpu_set_t* mask) {
    unsigned bits = 0;
    int cpu;
    for (cpu = 0; cpu < 31; ++cpu)
        if (CPU_ISSET(cpu, mask)) bits |= 1u << cpu;
    return bits;
}

static inline cpu_set_t mask_of(unsigned bits) {
    cpu_set_t mask;
    int cpu;
    CPU_ZERO(&mask);
    for (cpu = 0; cpu < 31; ++cpu)
        if ((bits >> cpu & 1) != 0) CPU_SET(cpu, &mask);
    return mask;
}

/* Returns the path of a file or folder in the test's own folder. Overwritten by the next call. */
static inline const char* check_path(const char* name) {
    static char path[kCheckPath];
    const int length = snprintf(path, sizeof path, "%s/%s", check_folder, name);
    CHECK(length > 0 && length < kCheckPath, 1);
    return path;
}

static inline void check_make_folder(void) {
    const char* parent = getenv("TMPDIR");
    int length;
    if (parent == NULL || *parent == '\0') parent = P_tmpdir;
    length = snprintf(check_folder, sizeof check_folder, "%s/drom-dlb-XXXXXX", parent);
    CHECK(length > 0 && length < kCheckPath, 1);
    if (mkdtemp(check_folder) == NULL) {
        perror(check_folder);
        exit(EXIT_FAILURE);
    }
    check_owner = getpid();
    atexit(check_clean);
}

/* Gives the test a table of its own, an end after a minute, and CPUs 0 and 1; without these CPUs the test is skipped.
 * */
static inline void check_begin(void) {
    cpu_set_t mask;
    alarm(60);
    CHECK(sched_getaffinity(0, sizeof mask, &mask), 0);
    if (!CPU_ISSET(0, &mask) || !CPU_ISSET(1, &mask)) {
        printf("SKIPPED: needs CPUs 0 and 1\n");
        exit(77);
    }
    check_make_folder();
    setenv("DROM_TABLE", check_path("table"), 1);
    unsetenv("DLB_ARGS");
    unsetenv("DROM_SLOT");
    unsetenv("DROM_GRACE_MS");
    unsetenv("DROM_TIMEOUT_MS");
}

/* Returns the number of open descriptors, including the one that it takes to look. */
static inline int check_descriptors(void) {
    DIR* folder = opendir("/proc/self/fd");
    int count = 0;
    CHECK(folder != NULL, 1);
    while (readdir(folder) != NULL) ++count;
    closedir(folder);
    return count;
}

/* A child that runs `body`, with one pipe per direction: it tells when it is ready, and waits for an answer. */
typedef struct Child {
    pid_t pid;
    int to, from;
} Child;

static int child_in = -1, child_out = -1;

/* Says in the child that a step is done, and waits until the next one may begin. */
static inline void step(void) {
    char byte = 's';
    CHECK(write(child_out, &byte, 1), 1);
    CHECK(read(child_in, &byte, 1), 1);
}

/* Waits in the parent until the child has come to its next step(). Returns 0 when the child has ended. */
static inline int await_step(const Child* child) {
    char byte;
    return read(child->from, &byte, 1) == 1;
}

static inline void let_go(const Child* child) {
    const char byte = 'g';
    CHECK(write(child->to, &byte, 1), 1);
}

/* Lets the child do its next step and waits until it has. */
static inline void next_step(const Child* child) {
    let_go(child);
    CHECK(await_step(child), 1);
}

static inline Child start(void (*body)(void)) {
    int to[2], from[2];
    Child child;
    CHECK(pipe(to), 0);
    CHECK(pipe(from), 0);
    fflush(NULL);
    child.pid = fork();
    CHECK(child.pid >= 0, 1);
    if (child.pid == 0) {
        alarm(60);
        close(to[1]), close(from[0]);
        child_in = to[0], child_out = from[1];
        body();
        _exit(EXIT_SUCCESS);
    }
    close(to[0]), close(from[1]);
    child.to = to[1], child.from = from[0];
    return child;
}

/* Starts the child, and waits until it has come to its first step(). */
static inline Child start_to_step(void (*body)(void)) {
    const Child child = start(body);
    CHECK(await_step(&child), 1);
    return child;
}

static inline void close_child(const Child* child) { close(child->to), close(child->from); }

/* Returns the child's exit status, or 1000 plus the number of the signal that ended it. */
static inline int ended(const Child* child) {
    int status = 0;
    close_child(child);
    CHECK(waitpid(child->pid, &status, 0), child->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Lets the child go on from its last step to its end. */
static inline void finish(const Child* child) {
    let_go(child);
    CHECK(ended(child), 0);
}

static inline void kill_child(const Child* child) {
    kill(child->pid, SIGKILL);
    CHECK(ended(child), 1000 + SIGKILL);
}

/* The children of most tests take part with these CPUs, and differ in what they do at their steps. */
static unsigned child_cpus;
static const char* child_args = "--drom";

static inline void poller(void) {
    const cpu_set_t mask = mask_of(child_cpus);
    CHECK(DLB_Init(0, &mask, child_args), DLB_SUCCESS);
    step();
}

static inline Child start_with_cpus(unsigned cpus, void (*body)(void)) {
    child_cpus = cpus;
    return start_to_step(body);
}

static inline unsigned mask_of_pid(pid_t pid) {
    cpu_set_t mask;
    CHECK(DLB_DROM_GetProcessMask(pid, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    return mask_bits(&mask);
}

#endif
