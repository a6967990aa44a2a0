// SPDX-License-Identifier: BSD-3-Clause
// attach.c - how long a fresh process takes to join its table: prints the nanoseconds that drom_init took.
#include <drom/drom.h>
#include <stdio.h>
#include <time.h>

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(void) {
    drom_error error = {0};
    drom_options options = {.size = sizeof options, .flags = DROM_ASYNC};
    const double begin = now_ns();
    const int status = drom_init(NULL, 0, &options, &error);
    const double took = now_ns() - begin;
    if (status != DROM_OK) {
        fprintf(stderr, "attach: %s\n", error.text);
        return 1;
    }
    printf("%.0f\n", took);
    return drom_finalize(&error) == DROM_OK ? 0 : 1;
}
