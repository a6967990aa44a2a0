/* SPDX-License-Identifier: BSD-3-Clause
 * teams.c - an OpenMP program that follows the lines on its stdin, and answers each with a line.
 *
 *   teams       prints how many threads a region has, and omp_get_max_threads(); with OTHER the library's as well
 *   clause      opens a region of two threads by its clause
 *   set N       calls omp_set_num_threads(N)
 *   behind N    does the same by the runtime's own address of it, as Python's threadpoolctl does
 *   dynamic     calls omp_set_dynamic(1)
 *   end         ends
 *
 *   teams private LIBRARY N    loads the library for itself, and has N regions there
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OTHER
int other_team(void);
int other_set(int size);
#endif

static int team(void) {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

static int team_by_clause(void) {
    int size = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

static int set_behind(int size) {
    const char* names[] = {"libgomp.so.1", "libomp.so.5", "libomp.so"};
    for (int i = 0; i < 3; ++i) {
        void* runtime = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
        void (*set)(int);
        if (runtime == NULL) continue;
        *(void**)&set = dlsym(runtime, "omp_set_num_threads");
        set(size);
    }
    return omp_get_max_threads();
}

static int in_private(const char* library, int count) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    int (*other)(void);
    if (handle == NULL) return 1;
    *(void**)&other = dlsym(handle, "other_team");
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += other();
    printf("sum %d\n", sum);
    return 0;
}

static void obey(const char* word, int number) {
    if (strcmp(word, "teams") == 0) printf("teams %d max %d\n", team(), omp_get_max_threads());
    if (strcmp(word, "clause") == 0) printf("clause %d\n", team_by_clause());
    if (strcmp(word, "behind") == 0) printf("behind %d\n", set_behind(number));
    if (strcmp(word, "set") == 0) {
        omp_set_num_threads(number);
        printf("set %d\n", omp_get_max_threads());
    }
    if (strcmp(word, "dynamic") == 0) {
        omp_set_dynamic(1);
        printf("dynamic\n");
    }
#ifdef OTHER
    printf("other %d\n", other_team());
    if (strcmp(word, "set") == 0) printf("other set %d\n", other_set(number));
#endif
}

int main(int argc, char** argv) {
    if (argc == 4 && strcmp(argv[1], "private") == 0) return in_private(argv[2], atoi(argv[3]));
    char line[64];
    char word[32];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        int number = 0;
        if (sscanf(line, "%31s %d", word, &number) < 1 || strcmp(word, "end") == 0) break;
        obey(word, number);
    }
    return 0;
}
