/* SPDX-License-Identifier: BSD-3-Clause
 * preloaded_test.c - an OpenMP program that calls DLB and has drom preloaded: one client, and the team follows without
 * a poll. */
#include "check.h"

static int team(void) {
    int round, size = 0;
    for (round = 0; round < 3; ++round) {
        size = 0;
#pragma omp parallel reduction(+ : size)
        size += 1;
    }
    return size;
}

static pid_t parent;
static const char* cpus;

static void administrator(void) {
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMaskStr(parent, cpus, DLB_SYNC_QUERY), DLB_SUCCESS);
}

/* Sets CPUs from outside. The agent's own thread answers: this process waits meanwhile. */
static void set_from_outside(const char* text) {
    Child child;
    cpus = text;
    child = start(administrator);
    CHECK(ended(&child), 0);
}

static int count_clients(void) {
    int pids[4], count = 0;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    return count;
}

/* Starts the program again in a table. The agent joins as the program starts, so the table is named before that. */
static void start_again_in_a_table(char** argv) {
    check_begin();
    setenv("CHECK_FOLDER", check_folder, 1);
    execv("/proc/self/exe", argv);
    perror("execv");
    exit(EXIT_FAILURE);
}

int main(int argc, char** argv) {
    cpu_set_t mask;
    int number = 0;
    CHECK(getenv("LD_PRELOAD") != NULL, 1);
    if (argc > 0 && getenv("CHECK_FOLDER") == NULL) start_again_in_a_table(argv);
    snprintf(check_folder, sizeof check_folder, "%s", getenv("CHECK_FOLDER"));
    check_owner = getpid();
    atexit(check_clean);
    mask = mask_of(3);
    sched_setaffinity(0, sizeof mask, &mask);
    parent = getpid();
    CHECK(DLB_PollDROM_Update(), DLB_NOUPDT);
    CHECK(team(), 2);
    /* The program takes part from its start on, without having called DLB_Init; as with DLB, that call says so. */
    set_from_outside("0");
    CHECK(DLB_PollDROM_Update(), DLB_SUCCESS);
    CHECK(DLB_PollDROM_Update(), DLB_NOUPDT);
    set_from_outside("0-1");
    CHECK(DLB_PollDROM_Update(), DLB_SUCCESS);
    CHECK(DLB_Init(0, NULL, "--drom"), DLB_ERR_INIT);
    CHECK(DLB_PreInit(&mask, NULL), DLB_ERR_INIT);
    CHECK(count_clients(), 1);
    CHECK(DLB_PollDROM_Update(), DLB_NOUPDT);
    CHECK(DLB_Disable(), DLB_SUCCESS);
    CHECK(DLB_PollDROM_Update(), DLB_ERR_DISBLD);
    CHECK(DLB_Enable(), DLB_SUCCESS);

    set_from_outside("1");
    CHECK(team(), 1);
    CHECK(DLB_PollDROM_Update(), DLB_SUCCESS);
    CHECK(DLB_PollDROM_Update(), DLB_NOUPDT);
    CHECK(DLB_DROM_SetProcessMaskStr(0, "0-1", DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(team(), 2);

    /* The program has left, and the agent goes on. */
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_NOUPDT);
    CHECK(DLB_PollDROM_Update(), DLB_ERR_NOINIT);
    CHECK(count_clients(), 1);
    set_from_outside("0");
    CHECK(team(), 1);
    CHECK(DLB_Init(0, NULL, "--drom --silent --shm-key=another"), DLB_SUCCESS);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK_MASK(mask, 1);

    /* A program that takes the mask itself has its team left alone. */
    CHECK(DLB_PollDROM(&number, NULL), DLB_NOUPDT);
    set_from_outside("0-1");
    CHECK(DLB_PollDROM(&number, &mask), DLB_SUCCESS);
    CHECK(number, 2);
    CHECK(team(), 2);
    set_from_outside("1");
    CHECK(DLB_PollDROM(&number, &mask), DLB_SUCCESS);
    CHECK(number, 1);
    CHECK(team(), 2);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    printf("preloaded: one client\n");
    return 0;
}
