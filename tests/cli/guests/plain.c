// SPDX-License-Identifier: BSD-3-Clause
// plain.c - a program without OpenMP: plain [SECONDS [STATUS]] sleeps, then exits.
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
    if (argc > 1) usleep((useconds_t)(atof(argv[1]) * 1e6));
    return argc > 2 ? atoi(argv[2]) : 0;
}
