/* SPDX-License-Identifier: BSD-3-Clause
 * step.c - preloaded into drom run: something else happens between two of its steps. Before the first call of CALL
 * (sched_getaffinity or sched_setaffinity) the shell runs $STEP, once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>

int CALL(pid_t pid, size_t size, void* set);

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)

int CALL(pid_t pid, size_t size, void* set) {
    int (*next)(pid_t, size_t, void*) = dlsym(RTLD_NEXT, NAME_OF(CALL));
    const char* step = getenv("STEP");
    unsetenv("LD_PRELOAD");
    if (step != NULL && system(step) != 0) abort();
    unsetenv("STEP");
    return next(pid, size, set);
}
