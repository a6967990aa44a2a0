// SPDX-License-Identifier: BSD-3-Clause
// refused.c - starts a command in which a filter of system calls refuses to set affinities, as some containers have it.
//   refused COMMAND [ARGUMENT...]
#include <errno.h>

#include "call_filter.h"

int main(int argc, char** argv) {
    if (argc < 2 || filter_call(SYS_sched_setaffinity, EPERM) != 0) return 1;
    execvp(argv[1], argv + 1);
    return 1;
}
