/* SPDX-License-Identifier: BSD-3-Clause
 * measure.c - a program that names its parts: drom counts how often each ran, for how long, and its CPU time. It needs
 * no table. While it is a client, `drom stats --regions` prints the same from outside.
 *
 *   measure [STEPS]        10 steps without an argument
 */
#include <drom/drom.h>
#include <stdio.h>
#include <stdlib.h>

enum { kOperations = 20000000 };

static volatile uint64_t result;

static void compute(void) {
    uint64_t state = result + 1;
    for (int i = 0; i < kOperations; ++i) state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    result = state;
}

static int print_region(const char* name) {
    drom_error error;
    drom_region_info info = {.size = sizeof info};
    if (drom_region_get(name, &info, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("measure: %s: %llu times, %.3f s, %.3f s of CPU time\n", info.name, (unsigned long long)info.count,
           (double)info.elapsed_ns / 1e9, (double)info.cpu_ns / 1e9);
    return 0;
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    drom_region_begin("whole");
    for (int step = 0; step < steps; ++step) {
        drom_region_begin("compute"); /* a name that is refused is no reason to end */
        compute();
        drom_region_end("compute");
    }
    drom_region_end("whole");
    return print_region("compute") + print_region("whole");
}
