/* SPDX-License-Identifier: BSD-3-Clause */
/* unsampled.c - runs a command for which perf_event_open fails with EPERM, as in a container: unsampled COMMAND... */
#include <errno.h>
#include <stdio.h>

#include "call_filter.h"

int main(int argc, char** argv) {
    if (argc < 2 || filter_call(SYS_perf_event_open, EPERM) != 0) return 125;
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
