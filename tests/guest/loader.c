/* SPDX-License-Identifier: BSD-3-Clause
 * loader.c - a program without OpenMP.
 *
 *   loader plugin LIBRARY STOP   loads LIBRARY privately (RTLD_LOCAL), calls it until STOP exists, prints "sum S"
 *   loader churn LIBRARY N       opens and closes LIBRARY N times; says how often it is mapped afterwards
 *   loader idle LIBRARY N        opens LIBRARY, joins, and polls N times
 *   loader counts STOP CPU LIBRARY...   prints "ready", and when STOP exists how many CPUs it counts, and how many each
 *                                LIBRARY (counting.c) does as it is loaded then; before, binds itself to CPU, unless -1
 *
 * It is built with -ldl only, so every name is looked up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void* must(void* found, const char* what) {
    if (found) return found;
    fprintf(stderr, "loader: %s: %s\n", what, dlerror());
    exit(3);
}

static int plugin(const char* library, const char* stop) {
    void* handle = must(dlopen(library, RTLD_NOW | RTLD_LOCAL), library);
    long (*sum_of)(int);
    *(void**)&sum_of = must(dlsym(handle, "plugin_sum"), "plugin_sum");
    const time_t end = time(NULL) + 30;
    long sum = sum_of(20);
    printf("ready\n");
    fflush(stdout);
    while (access(stop, F_OK) != 0 && time(NULL) < end) sum = sum_of(20);
    printf("sum %ld\n", sum);
    dlclose(handle);
    return 0;
}

static int mappings_of(const char* library) {
    char line[512];
    int n = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) n += strstr(line, library) && strstr(line, " 00000000 ");
    if (maps) fclose(maps);
    return n;
}

static int churn(const char* library, int n) {
    for (int i = 0; i < n; ++i) dlclose(must(dlopen(library, RTLD_NOW), library));
    printf("mapped %d times\n", mappings_of(strrchr(library, '/') + 1));
    return 0;
}

static int idle(const char* library, long n) {
    void* handle = must(dlopen(library, RTLD_NOW), library);
    int (*init)(void*, size_t, void*, void*), (*poll)(void*, size_t, void*), (*finalize)(void*);
    *(void**)&init = must(dlsym(handle, "drom_init"), "drom_init");
    *(void**)&poll = must(dlsym(handle, "drom_poll"), "drom_poll");
    *(void**)&finalize = must(dlsym(handle, "drom_finalize"), "drom_finalize");
    printf("init %d\n", init(NULL, 0, NULL, NULL));
    long unchanged = 0;
    unsigned long mask[64];
    for (int i = 0; i < 10; ++i) poll(mask, 64, NULL);
    void (*mark)(const char*);
    *(void**)&mark = dlsym(RTLD_DEFAULT, "counter_mark");
    if (mark) mark("begin");
    access("/drom-test-begin", F_OK);
    for (long i = 0; i < n; ++i) unchanged += poll(mask, 64, NULL) == 2;
    access("/drom-test-end", F_OK);
    if (mark) mark("end");
    printf("unchanged %ld\nfinalize %d\n", unchanged, finalize(NULL));
    return 0;
}

static int counts(const char* stop, int bound_to, char** libraries) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (bound_to >= 0) CPU_SET(bound_to, &cpus);
    if (bound_to >= 0 && sched_setaffinity(0, sizeof cpus, &cpus) != 0) return 3;
    printf("ready\n");
    fflush(stdout);
    while (access(stop, F_OK) != 0) usleep(20000);
    sched_getaffinity(0, sizeof cpus, &cpus);
    printf("program %d\n", CPU_COUNT(&cpus));
    for (; *libraries; ++libraries) {
        int (*counted)(void);
        *(void**)&counted = must(dlsym(must(dlopen(*libraries, RTLD_NOW), *libraries), "counted"), "counted");
        printf("%s %d\n", strrchr(*libraries, '/') + 1, counted());
    }
    return 0;
}

int main(int argc, char** argv) {
    if (argc > 4 && !strcmp(argv[1], "counts")) return counts(argv[2], atoi(argv[3]), argv + 4);
    if (argc == 4 && !strcmp(argv[1], "plugin")) return plugin(argv[2], argv[3]);
    if (argc == 4 && !strcmp(argv[1], "churn")) return churn(argv[2], atoi(argv[3]));
    if (argc == 4 && !strcmp(argv[1], "idle")) return idle(argv[2], atol(argv[3]));
    return 2;
}
