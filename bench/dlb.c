/* SPDX-License-Identifier: BSD-3-Clause
 * dlb.c - what DLB's calls cost. One line per round has the nanoseconds of these: a poll, a look at the own mask and at
 * another's, a request without a wait, a reservation and its end.
 *
 *   dlb ROUNDS
 *
 * It is processor time: none of these calls waits, and on a shared machine the clock would count other programs too. */
#define _GNU_SOURCE
#include <dlb.h>
#include <dlb_drom.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void must(int status, const char* what) {
    if (status >= 0) return;
    fprintf(stderr, "dlb: %s: %s\n", what, DLB_Strerror(status));
    exit(1);
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static cpu_set_t set_of(int first, int last) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (; first <= last; ++first) CPU_SET((size_t)first, &set);
    return set;
}

/* Starts another process, which has CPUs 0 and 1 and does nothing but poll. */
static pid_t start_poller(void) {
    const cpu_set_t both = set_of(0, 1);
    int ready[2];
    char byte = 'n';
    if (pipe(ready) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        must(DLB_Init(0, &both, "--drom"), "init of the other process");
        if (write(ready[1], "y", 1) != 1) _exit(1);
        for (;;) DLB_PollDROM(NULL, NULL), usleep(100);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) must(DLB_ERR_UNKNOWN, "the other process");
    close(ready[0]);
    return child;
}

static double polls(void) {
    enum { kCount = 100000 };
    const double begin = now_ns();
    for (int i = 0; i < kCount; ++i) DLB_PollDROM(NULL, NULL);
    return (now_ns() - begin) / kCount;
}

static double looks(pid_t pid) {
    enum { kCount = 10000 };
    cpu_set_t mask;
    const double begin = now_ns();
    for (int i = 0; i < kCount; ++i) must(DLB_DROM_GetProcessMask(pid, &mask, DLB_DROM_FLAGS_NONE), "look");
    return (now_ns() - begin) / kCount;
}

/* Sets the mask to one CPU and back to both, each as soon as the request before was answered. Returns the mean time of
 * the call in nanoseconds. */
static double requests(pid_t pid) {
    enum { kCount = 20 };
    double spent = 0;
    for (int i = 0; i < kCount; ++i) {
        const cpu_set_t next = set_of(0, i % 2);
        cpu_set_t mask;
        const double begin = now_ns();
        must(DLB_DROM_SetProcessMask(pid, &next, DLB_DROM_FLAGS_NONE), "set");
        spent += now_ns() - begin;
        must(DLB_DROM_GetProcessMask(pid, &mask, DLB_SYNC_QUERY), "answer");
    }
    return spent / kCount;
}

static void reservations(double* preinit, double* postfinalize) {
    enum { kCount = 20 };
    const cpu_set_t none = set_of(0, -1);
    const pid_t nobody = 4194303; /* for a process that does not exist yet */
    *preinit = *postfinalize = 0;
    for (int i = 0; i < kCount; ++i) {
        const double begin = now_ns();
        must(DLB_DROM_PreInit(nobody, &none, DLB_DROM_FLAGS_NONE, NULL), "preinit");
        const double middle = now_ns();
        must(DLB_DROM_PostFinalize(nobody, DLB_DROM_FLAGS_NONE), "postfinalize");
        *preinit += (middle - begin) / kCount;
        *postfinalize += (now_ns() - middle) / kCount;
    }
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    const cpu_set_t none = set_of(0, -1);
    const pid_t other = start_poller();
    if (other < 0) return 1;
    must(DLB_Init(0, &none, "--drom"), "init");
    for (int i = 0; i < rounds; ++i) {
        double preinit, postfinalize;
        const double poll = polls(), own = looks(0), others = looks(other);
        must(DLB_DROM_Attach(), "attach");
        const double set = requests(other);
        reservations(&preinit, &postfinalize);
        must(DLB_DROM_Detach(), "detach");
        printf("%.2f %.1f %.1f %.0f %.0f %.0f\n", poll, own, others, set, preinit, postfinalize);
        fflush(stdout);
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    return 0;
}
