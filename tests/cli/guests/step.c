/* SPDX-License-Identifier: BSD-3-Clause
 * step.c - preloaded into drom run: something else happens between its look at the table and its choice of CPUs. The
 * first look at an affinity comes in between; there the shell runs $STEP, once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* set) {
    int (*next)(pid_t, size_t, cpu_set_t*) = dlsym(RTLD_NEXT, "sched_getaffinity");
    const char* step = getenv("STEP");
    unsetenv("LD_PRELOAD");
    if (step != NULL && system(step) != 0) abort();
    unsetenv("STEP");
    return next(pid, size, set);
}
