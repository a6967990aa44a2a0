/* SPDX-License-Identifier: BSD-3-Clause
 * descriptors.c - an OpenMP program that closes a descriptor and opens a file, until the file STOP exists (at most 60
 * s). By POSIX the opened file gets that number; the program prints how often it got another one.
 *
 *   descriptors STOP */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    int threads = 0;
#pragma omp parallel
    {
#pragma omp atomic
        ++threads;
    }
    puts("ready");
    fflush(stdout);
    long others = 0;
    for (const time_t end = time(NULL) + 60; time(NULL) < end && access(argv[1], F_OK) != 0;)
        for (int i = 0; i < 1000; ++i) {
            close(STDIN_FILENO);
            const int file = open("/dev/null", O_RDONLY);
            if (file == STDIN_FILENO) continue;
            ++others;
            dup2(file, STDIN_FILENO);
            close(file);
        }
    printf("sum %ld\n", others);
    return threads == 2 ? 0 : 3;
}
