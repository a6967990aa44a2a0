/* SPDX-License-Identifier: BSD-3-Clause
 * both.c - two OpenMP runtimes in one process: the program and its library (other.c) have different compilers.
 *
 *   turns   regions of both in turn, each divided by the answer of its own runtime
 *   sets    program and library set the size of their own teams
 *
 * It is built three times: linked to the library; opening it with RTLD_LOCAL; without OpenMP, opening one library per
 * compiler.
 */
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>
#ifndef NO_OPENMP
#include <omp.h>
#endif

#include "guest.h"

typedef uint64_t Part(long round);
typedef void Sets(int threads);

#ifndef NO_OPENMP
#define other_part own_part
#define other_sets own_sets
#include "other.c"
#undef other_part
#undef other_sets
#endif

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

#ifdef LINKED
uint64_t other_part(long round);
void other_sets(int threads);
#else
static void* opened(const char* suffix) {
    char path[PATH_MAX + 32];
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
    if (n <= 0) exit(3);
    path[n] = 0;
    strcpy(strrchr(path, '/') + 1, suffix);
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) fprintf(stderr, "both: %s\n", dlerror());
    if (!handle) exit(3);
    return handle;
}

static void find(const char* library, Part** part, Sets** sets) {
    void* handle = opened(library);
    *(void**)part = dlsym(handle, "other_part");
    *(void**)sets = dlsym(handle, "other_sets");
    if (!*part || !*sets) exit(3);
}
#endif

static void find_both(Part* part[2], Sets* sets[2]) {
#ifdef NO_OPENMP
    find("libother-gcc.so", &part[0], &sets[0]);
#else
    part[0] = own_part;
    sets[0] = own_sets;
#endif
#ifdef LINKED
    part[1] = other_part;
    sets[1] = other_sets;
#else
    find(TEXT(OTHER), &part[1], &sets[1]);
#endif
}

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long all = rounds(given, 1000);
    Part* part[2];
    Sets* sets[2];
    uint64_t sum = 0;
    if (!is(given, "turns") && !is(given, "sets")) return no_such_mode(given);
    find_both(part, sets);
    for (long round = 0; round < all; ++round) {
        if (is(given, "sets") && round == all / 4) sets[0](1);
        if (is(given, "sets") && round == all / 2) sets[1](1);
        sum = mix(mix(sum, part[0](round)), part[1](round + 1));
    }
    return finish(given, sum);
}
