/* SPDX-License-Identifier: BSD-3-Clause
 * host.c - an OpenMP program that does what programs do to libraries that live inside them.
 *
 *   host MODE STOP [ARGUMENT...]
 *
 * It runs regions until the file STOP exists (at most 30 s), and says "ready" after the first.
 *
 *   regions     nothing else
 *   fork        forks; the child has regions of its own and says "child SUM"
 *   clone       as fork, by the system call, so that no handler runs
 *   vfork       vfork and exec of /bin/true, again and again
 *   spawn       posix_spawn of /bin/true, again and again
 *   exec        after the first regions becomes ARGUMENT...
 *   close       closes every descriptor above 2, then continues
 *   alarm       SIGALRM a thousand times per second; the handler calls omp_get_max_threads()
 *   pin         binds its main thread to the CPU ARGUMENT again and again, and says when that was refused
 *   manners     compares umask, signal handlers and environment with those at its start
 *   trace       prints how many frames a thread of the team sees above it, at least one
 *   secure      says whether the system treats it as set-uid
 *
 * It ends with "sum S", the sum of its last region, which is always the same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
static volatile sig_atomic_t alarms;
static volatile int answered;

static long region(void) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 20000; ++i) sum += i ^ (i >> 3);
    return sum;
}

static long regions(int n) {
    long sum = 0;
    for (int i = 0; i < n; ++i) sum = region();
    return sum;
}

static void become_parent_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    printf("child ended %d\n", status);
}

static void by_fork(int raw) {
    fflush(stdout);
    const pid_t child = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (child == 0) {
        /* After a raw clone, and after any fork under libgomp, the runtime's own state is unusable: serial work
         * only. */
        const long sum = raw || getenv("SERIAL_CHILD") ? 0 : regions(200);
        printf("child %ld\n", sum);
        fflush(stdout);
        _exit(0);
    }
    become_parent_of(child);
}

static void by_exec(int vforking) {
    char* command[] = {(char*)"/bin/true", NULL};
    pid_t child;
    if (vforking) {
        child = vfork();
        if (child == 0) {
            execve(command[0], command, environ);
            _exit(127);
        }
    } else if (posix_spawn(&child, command[0], NULL, NULL, command, environ) != 0) {
        child = -1;
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (status != 0) printf("child ended %d\n", status);
}

static void on_alarm(int signal) {
    (void)signal;
    ++alarms;
    answered = omp_get_max_threads();
}

static void alarm_each(long microseconds) {
    const struct itimerval each = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &each, NULL);
}

static void start_alarms(void) {
    const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    alarm_each(1000);
}

/// Stops the alarms before main ends: LLVM's runtime ends the process when a handler calls it while it finalizes
/// itself.
static void stop_alarms(void) {
    alarm_each(0);
    printf("alarms %s, answer %s\n", alarms > 10 ? "came" : "did not come", answered >= 1 ? "given" : "missing");
}

typedef struct Manners {
    mode_t mask;
    void* handler[65];
    char* environment[512];
} Manners;

static void note_manners(Manners* manners) {
    memset(manners, 0, sizeof *manners);
    manners->mask = umask(0);
    umask(manners->mask);
    for (int s = 1; s < 65; ++s) {
        struct sigaction action = {0};
        if (sigaction(s, NULL, &action) == 0) manners->handler[s] = (void*)action.sa_handler;
    }
}

static void compare_manners(const Manners* before) {
    Manners now;
    note_manners(&now);
    printf("umask %s\n", now.mask == before->mask ? "kept" : "changed");
    printf("handlers %s\n", memcmp(now.handler, before->handler, sizeof now.handler) == 0 ? "kept" : "changed");
}

static void trace(void) {
    int fewest = 1000;
#pragma omp parallel reduction(min : fewest)
    {
        void* frame[64];
        fewest = backtrace(frame, 64);
    }
    printf("frames %s\n", fewest >= 1 && fewest < 64 ? "seen" : "lost");
}

static void pin(const char* cpu) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET((size_t)atoi(cpu), &mask);
    if (sched_setaffinity(0, sizeof mask, &mask) != 0) printf("bind to %s: %s\n", cpu, strerror(errno));
}

static void close_all(void) {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
}

static int once(const char* mode, char** argument, Manners* manners) {
    if (!strcmp(mode, "fork"))
        by_fork(0);
    else if (!strcmp(mode, "clone"))
        by_fork(1);
    else if (!strcmp(mode, "exec"))
        return execv(argument[0], argument);
    else if (!strcmp(mode, "close"))
        close_all();
    else if (!strcmp(mode, "alarm"))
        start_alarms();
    else if (!strcmp(mode, "trace"))
        trace();
    else if (!strcmp(mode, "secure"))
        printf("secure %lu\n", getauxval(AT_SECURE));
    else if (!strcmp(mode, "manners"))
        compare_manners(manners);
    return 0;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const char* mode = argv[1];
    Manners manners;
    note_manners(&manners);
    const time_t end = time(NULL) + 30;
    long sum = regions(20);
    if (once(mode, argv + 3, &manners)) return 3;
    printf("ready\n");
    fflush(stdout);
    while (access(argv[2], F_OK) != 0 && time(NULL) < end) {
        sum = regions(20);
        if (!strcmp(mode, "vfork")) by_exec(1);
        if (!strcmp(mode, "spawn")) by_exec(0);
        if (!strcmp(mode, "pin")) pin(argv[3]);
        if (!strcmp(mode, "manners")) usleep(1000);
    }
    if (!strcmp(mode, "manners")) compare_manners(&manners);
    if (!strcmp(mode, "alarm")) stop_alarms();
    printf("sum %ld\n", sum);
    return 0;
}
