/* SPDX-License-Identifier: BSD-3-Clause */
/* save_at_once.c - preloaded into slurmctld, it saves its state after every change, and not every five seconds at most. */
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* The thread that saves asks how long ago it did. Everybody else gets the truth. */
double difftime(time_t later, time_t earlier) {
    char thread[16] = "";
    prctl(PR_GET_NAME, thread);
    return (double)(later - earlier) + (strcmp(thread, "sstate") == 0 ? 3600 : 0);
}
