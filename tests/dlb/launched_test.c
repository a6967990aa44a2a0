/* SPDX-License-Identifier: BSD-3-Clause
 * launched_test.c - a program written for DLB, started by `drom run --cpus 1`: the reservation is its mask, and stays
 * drom's. */
#include "check.h"

static void others_cpu(void) {
    const cpu_set_t second = mask_of(2);
    CHECK(DLB_Init(0, &second, "--drom --silent"), DLB_ERR_PERM);
}

/* Takes part in the reservation. */
static int program(void) {
    const cpu_set_t both = mask_of(3);
    int again;
    Child child;
    alarm(60);
    check_owner = getpid();
    for (again = 0; again < 3; ++again) {
        CHECK(DLB_Init(0, again == 1 ? &both : NULL, "--drom"), DLB_SUCCESS);
        CHECK(mask_of_pid(0), 2);
        CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
        CHECK(DLB_Finalize(), DLB_SUCCESS);
    }
    /* No other client gets the CPU in between. */
    unsetenv("DROM_SLOT");
    child = start(others_cpu);
    CHECK(ended(&child), 0);
    printf("launched: in the reservation of drom run\n");
    return 0;
}

static const char* command;
static char* self_path;

static void launch(void) {
    execl(command, command, "run", "--cpus", "1", "--", self_path, (char*)NULL);
    perror(command);
    _exit(126);
}

/* Runs as launched_test COMMAND; without an argument it is the program that was launched. */
int main(int argc, char** argv) {
    Child child;
    if (argc < 2) return program();
    command = argv[1];
    self_path = realpath("/proc/self/exe", NULL);
    check_begin();
    child = start(launch);
    CHECK(ended(&child), 0);
    free(self_path);
    return 0;
}
