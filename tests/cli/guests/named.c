// SPDX-License-Identifier: BSD-3-Clause
// named.c - named NAME SECONDS: a process and its child, both of which call themselves NAME.
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const pid_t child = fork();
    prctl(PR_SET_NAME, argv[1], 0, 0, 0);
    if (child == 0) prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0);
    sleep((unsigned)atoi(argv[2]));
    return 0;
}
