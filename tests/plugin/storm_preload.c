/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_preload.c - in slurmctld, says where it crashed; with SAVE_AT_ONCE=1 it saves its state after every change, and
 * not every five seconds at most. */
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* Tells the thread that saves that its last save is an hour ago. All other threads get the truth. */
double difftime(time_t later, time_t earlier) {
    static int at_once = -1;
    if (at_once < 0) at_once = getenv("SAVE_AT_ONCE") != NULL;
    char thread[16] = "";
    if (at_once) prctl(PR_GET_NAME, thread);
    return (double)(later - earlier) + (strcmp(thread, "sstate") == 0 ? 3600 : 0);
}

static void say_where(int number) {
    void* frames[32];
    backtrace_symbols_fd(frames, backtrace(frames, 32), 2);
    raise(number);
}

__attribute__((constructor)) static void watch(void) {
    void* frame[1];
    backtrace(frame, 1); /* loads its library now, and not in a handler */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = say_where;
    action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
}
