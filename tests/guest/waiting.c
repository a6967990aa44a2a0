/* SPDX-License-Identifier: BSD-3-Clause
 * waiting.c - an OpenMP program whose threads wait for one another all the time; it prints how its runtimes' threads
 * wait.
 *
 *   waiting MODE STOP [LIBRARY...]   until the file STOP exists
 *
 *   region     everything in one region, with a barrier every 20 us
 *   tasks      everything in one region, whose threads wait for tasks of 1 us
 *   nested     everything in one region, whose threads open regions of their own
 *   regions    a region every 20 us, with a clause for as many threads as CPUs at the start; some pauses
 *   fork       as regions; between them children that look at the loaded objects
 *   load       as regions; loads each LIBRARY privately once STOP.load exists, and calls it as often
 *
 * After each WINDOW rounds it prints a line: "cpu US llvm N libgomp N blocktime N". That is the processor time of those
 * rounds, and how many of the loaded runtimes of each kind wait as at their start. The last number is the result of
 * kmp_get_blocktime (0 under libgomp). It ends with "sum S", always the same. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
extern int kmp_get_blocktime(void);
#else
static int kmp_get_blocktime(void) { return 0; }
#endif

enum { kWindow = 200, kParts = 16, kLibraries = 2 };

struct words {
    int llvm, libgomp;
};

static void count(const char* start, size_t bytes, struct words* found) {
    const uint32_t* half = (const uint32_t*)start;
    for (size_t i = 0; i + 1 < bytes / sizeof *half; ++i) found->llvm += half[i] == 1024 && half[i + 1] == 512;
    const uint64_t* word = (const uint64_t*)start;
    for (size_t i = 0; i < bytes / sizeof *word; ++i) found->libgomp += word[i] == 300000 || word[i] == 30000000000;
}

static int look(struct dl_phdr_info* info, size_t size, void* arg) {
    (void)size;
    struct words own = {0, 0};
    struct words* found = arg;
    if (strstr(info->dlpi_name, "libomp.so") == NULL && strstr(info->dlpi_name, "libgomp.so") == NULL) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)* part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W) == 0) continue;
        const uintptr_t start = (info->dlpi_addr + part->p_vaddr + 7) & ~(uintptr_t)7;
        count((const char*)start, info->dlpi_addr + part->p_vaddr + part->p_memsz - start, &own);
    }
    found->llvm += own.llvm > 0 && strstr(info->dlpi_name, "libomp.so") != NULL;
    found->libgomp += own.libgomp > 0 && strstr(info->dlpi_name, "libgomp.so") != NULL;
    return 0;
}

static long cpu_us(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

static long say(long began) {
    struct words found = {0, 0};
    const long used = cpu_us() - began;
    dl_iterate_phdr(look, &found);
    printf("cpu %ld llvm %d libgomp %d blocktime %d\n", used, found.llvm, found.libgomp, kmp_get_blocktime());
    fflush(stdout);
    return cpu_us();
}

static long part(int i) {
    unsigned long x = (unsigned long)i + 1;
    for (int step = 0; step < 1000; ++step) x = x * 6364136223846793005UL + 1442695040888963407UL;
    return (long)(x >> 60);
}

static int team;

static long one_region(const char* stop) {
    long sum = 0;
    long begun = cpu_us();
    volatile int more = 1;
#pragma omp parallel num_threads(team)
    for (long round = 0; more; ++round) {
#pragma omp barrier
#pragma omp master
        {
            if (round % kWindow == 0) begun = say(begun);
            sum = 0;
            if (access(stop, F_OK) == 0) more = 0;
        }
#pragma omp barrier
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < kParts; ++i) sum += part(i);
    }
    return sum;
}

static long region(void) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(team)
    for (int i = 0; i < kParts; ++i) sum += part(i);
    return sum;
}

static long tasks(const char* stop) {
    long sum = 0;
#pragma omp parallel num_threads(team)
#pragma omp single
    for (long round = 0, begun = cpu_us(); access(stop, F_OK) != 0; ++round) {
        long parts = 0;
        if (round % kWindow == 0) begun = say(begun);
        for (int i = 0; i < kParts; ++i) {
#pragma omp task shared(parts) firstprivate(i)
            {
                const long own = part(i);
#pragma omp atomic
                parts += own;
            }
        }
#pragma omp taskwait
        sum = parts;
    }
    return sum;
}

static long nested(const char* stop) {
    long sum = 0;
    long begun = cpu_us();
    volatile int more = 1;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(team)
    for (long round = 0; more; ++round) {
#pragma omp barrier
#pragma omp master
        {
            if (round % kWindow == 0) begun = say(begun);
            if (access(stop, F_OK) == 0) more = 0;
        }
#pragma omp barrier
        const long own = region();
#pragma omp master
        sum = own;
    }
    return sum;
}

static int nothing(struct dl_phdr_info* info, size_t size, void* arg) {
    (void)info;
    (void)size;
    (void)arg;
    return 0;
}

static void run_child(void) {
    const pid_t child = fork();
    if (child == 0) {
        dl_iterate_phdr(nothing, NULL);
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static long (*loaded[kLibraries])(int);

static void load(char** libraries) {
    for (int i = 0; i < kLibraries && libraries[i] != NULL; ++i) {
        void* library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "waiting: %s\n", dlerror());
            exit(3);
        }
        *(void**)&loaded[i] = dlsym(library, "plugin_sum");
    }
}

static long by_regions(const char* mode, const char* stop, char** libraries) {
    const int forks = strcmp(mode, "fork") == 0;
    char request[4096];
    snprintf(request, sizeof request, "%s.load", stop);
    long sum = 0;
    long begun = cpu_us();
    for (long round = 0; access(stop, F_OK) != 0; ++round) {
        sum = region();
        for (int i = 0; i < kLibraries; ++i)
            if (loaded[i] != NULL) loaded[i](1);
        if (round % 20 == 19 && forks) run_child();
        if (round % kWindow != kWindow - 1) continue;
        begun = say(begun);
        usleep(20000);
        if (*libraries != NULL && loaded[0] == NULL && access(request, F_OK) == 0) load(libraries);
    }
    return sum;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    team = omp_get_max_threads();
    region();
    printf("ready\n");
    fflush(stdout);
    const long sum = strcmp(argv[1], "region") == 0   ? one_region(argv[2])
                     : strcmp(argv[1], "tasks") == 0  ? tasks(argv[2])
                     : strcmp(argv[1], "nested") == 0 ? nested(argv[2])
                                                      : by_regions(argv[1], argv[2], argv + 3);
    printf("sum %ld\n", sum);
    return 0;
}
