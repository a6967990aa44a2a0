/* SPDX-License-Identifier: BSD-3-Clause
 * consumer_dlb.c - a program written for DLB: take part, look as an administrator, leave. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlb.h>
#include <dlb_drom.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static int failed(const char* what, int error) {
    fprintf(stderr, "consumer_dlb: %s: %s\n", what, DLB_Strerror(error));
    return 1;
}

int main(void) {
    int pids[4], count = 0;
    cpu_set_t mask;
    int error = DLB_Init(0, NULL, "--drom");
    if (error != DLB_SUCCESS) return failed("DLB_Init", error);
    error = DLB_PollDROM(NULL, NULL);
    if (error != DLB_NOUPDT) return failed("DLB_PollDROM", error);
    error = DLB_DROM_GetPidList(pids, &count, 4);
    if (error != DLB_SUCCESS || count != 1 || pids[0] != (int)getpid()) return failed("DLB_DROM_GetPidList", error);
    error = DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE);
    if (error != DLB_SUCCESS) return failed("DLB_DROM_GetProcessMask", error);
    printf("one process, pid %d, %d CPUs\n", pids[0], CPU_COUNT(&mask));
    error = DLB_Finalize();
    return error == DLB_SUCCESS ? 0 : failed("DLB_Finalize", error);
}
