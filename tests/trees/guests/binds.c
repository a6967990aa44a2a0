/* SPDX-License-Identifier: BSD-3-Clause
 * binds.c - an OpenMP program that binds its child to one CPU after the other, as a pool binds its workers.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static int next_cpu(const cpu_set_t* cpus, int cpu) {
    do cpu = (cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(cpu, cpus));
    return cpu;
}

int main(void) {
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) pause();
    }
#pragma omp parallel
    omp_get_thread_num();
    for (int cpu = next_cpu(&cpus, -1);; cpu = next_cpu(&cpus, cpu)) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(child, sizeof one, &one) != 0) return 1;
        usleep(5000);
    }
}
