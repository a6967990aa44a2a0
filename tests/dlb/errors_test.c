/* SPDX-License-Identifier: BSD-3-Clause
 * errors_test.c - every error value has a name, and each one of DROM comes when it should. */
#include "check.h"

#include <limits.h>

static void names(void) {
    static const struct {
        int value;
        const char* name;
    } all[] = {{DLB_NOUPDT, "DLB_NOUPDT (2)"},           {DLB_NOTED, "DLB_NOTED (1)"},
               {DLB_SUCCESS, "DLB_SUCCESS (0)"},         {DLB_ERR_UNKNOWN, "DLB_ERR_UNKNOWN (-1)"},
               {DLB_ERR_NOINIT, "DLB_ERR_NOINIT (-2)"},  {DLB_ERR_INIT, "DLB_ERR_INIT (-3)"},
               {DLB_ERR_DISBLD, "DLB_ERR_DISBLD (-4)"},  {DLB_ERR_NOSHMEM, "DLB_ERR_NOSHMEM (-5)"},
               {DLB_ERR_NOPROC, "DLB_ERR_NOPROC (-6)"},  {DLB_ERR_PDIRTY, "DLB_ERR_PDIRTY (-7)"},
               {DLB_ERR_PERM, "DLB_ERR_PERM (-8)"},      {DLB_ERR_TIMEOUT, "DLB_ERR_TIMEOUT (-9)"},
               {DLB_ERR_NOCBK, "DLB_ERR_NOCBK (-10)"},   {DLB_ERR_NOENT, "DLB_ERR_NOENT (-11)"},
               {DLB_ERR_NOCOMP, "DLB_ERR_NOCOMP (-12)"}, {DLB_ERR_REQST, "DLB_ERR_REQST (-13)"},
               {DLB_ERR_NOMEM, "DLB_ERR_NOMEM (-14)"},   {DLB_ERR_NOPOL, "DLB_ERR_NOPOL (-15)"},
               {DLB_ERR_NOTALP, "DLB_ERR_NOTALP (-16)"}, {DLB_ERR_NOLEWI, "DLB_ERR_NOLEWI (-17)"}};
    static const int none[] = {_DLB_ERROR_UPPER_BOUND, _DLB_ERROR_LOWER_BOUND, INT_MAX, INT_MIN, 100, -100};
    size_t i;
    for (i = 0; i < sizeof all / sizeof all[0]; ++i) {
        CHECK(all[i].value, 2 - (int)i);
        CHECK(strncmp(DLB_Strerror(all[i].value), all[i].name, strlen(all[i].name)), 0);
    }
    for (i = 0; i < sizeof none / sizeof none[0]; ++i) CHECK(strncmp(DLB_Strerror(none[i]), "unknown", 7), 0);
}

static void numbers(void) {
    CHECK(DLB_DROM_FLAGS_NONE, 0);
    CHECK(DLB_STEAL_CPUS, 1);
    CHECK(DLB_RETURN_STOLEN, 2);
    CHECK(DLB_SYNC_QUERY, 4);
    CHECK(DLB_SYNC_NOW, 8);
    CHECK(DLB_NO_SYNC, 16);
    CHECK(DLB_FREE_CPUS_SLURM, 32);
    CHECK(dlb_callback_set_num_threads, 1);
    CHECK(dlb_callback_set_process_mask, 3);
    CHECK(dlb_callback_disable_cpu_set, 9);
    CHECK(_DLB_ERROR_UPPER_BOUND, 3);
    CHECK(_DLB_ERROR_LOWER_BOUND, -18);
}

/* Passes NULL for an argument that must not be NULL. */
static void missing_arguments(void) {
    const cpu_set_t first = mask_of(1);
    int number = 0;
    CHECK(DLB_Init(0, &first, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_GetNumCpus(NULL), DLB_ERR_UNKNOWN);
    CHECK(DLB_DROM_GetPidList(NULL, &number, 4), DLB_ERR_UNKNOWN);
    CHECK(DLB_DROM_GetPidList(&number, NULL, 1), DLB_ERR_UNKNOWN);
    CHECK(DLB_DROM_GetProcessMask(0, NULL, DLB_DROM_FLAGS_NONE), DLB_ERR_UNKNOWN);
    CHECK(DLB_DROM_SetProcessMask(0, NULL, DLB_DROM_FLAGS_NONE), DLB_ERR_UNKNOWN);
    CHECK(DLB_DROM_PreInit(4194000, NULL, DLB_DROM_FLAGS_NONE, NULL), DLB_ERR_UNKNOWN);
    CHECK(DLB_PreInit(NULL, NULL), DLB_ERR_UNKNOWN);
    CHECK(DLB_DROM_SetProcessMask(0, &first, DLB_FREE_CPUS_SLURM), DLB_ERR_NOCOMP);
    CHECK(DLB_DROM_PreInit(4194000, &first, DLB_FREE_CPUS_SLURM, NULL), DLB_ERR_NOCOMP);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

/* Asks for CPUs that another client owns. */
static void overlapping(void) {
    const cpu_set_t both = mask_of(3), first = mask_of(1);
    const Child child = start_with_cpus(2, poller);
    setenv("DLB_ARGS", "--silent", 1);
    CHECK(DLB_Init(0, &both, "--drom"), DLB_ERR_PERM);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_NOINIT);
    CHECK(DLB_Finalize(), DLB_NOUPDT);
    unsetenv("DLB_ARGS");
    CHECK(DLB_Init(0, &first, "--drom"), DLB_SUCCESS); /* it may be tried again */
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    finish(&child);
}

static char said[512];

/* Makes the call with these options, and keeps what it says. */
static void tell(int (*call)(void), const char* args, int expected) {
    FILE* file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    int status;
    CHECK(file != NULL && kept >= 0, 1);
    CHECK(setenv("DLB_ARGS", args, 1), 0);
    CHECK(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
    status = call();
    CHECK(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    CHECK(status, expected);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    close(kept);
    unsetenv("DLB_ARGS");
}

static int preinit_both(void) {
    const cpu_set_t both = mask_of(3);
    return DLB_PreInit(&both, NULL);
}

static void preinit(const char* args, int expected) { tell(preinit_both, args, expected); }

static int init_first(void) {
    const cpu_set_t first = mask_of(1);
    return DLB_Init(0, &first, "--drom");
}

/* Names modules that are not here, and an option that no library knows: one sentence each, and the program runs. */
static void options_that_do_nothing(void) {
    static const char* const modules[] = {"--lewi", "--mngo"};
    char expected[128];
    size_t i;
    for (i = 0; i < sizeof modules / sizeof *modules; ++i) {
        snprintf(expected, sizeof expected,
                 "drom: dlb: option %s: this library has DROM and regions only; the program runs without that module\n",
                 modules[i]);
        tell(init_first, modules[i], DLB_SUCCESS);
        CHECK(strcmp(said, expected), 0);
        CHECK(DLB_Finalize(), DLB_SUCCESS);
    }
    tell(init_first, "--lewi=no", DLB_SUCCESS);
    CHECK(said[0], '\0');
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    tell(init_first, "--no-such-option", DLB_SUCCESS);
    CHECK(strncmp(said, "drom: dlb: option --no-such-option is unknown and ignored", 57), 0);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

/* Checks that a launcher learns why its reservation failed. It did not. */
static void reservation_without_a_reason(void) {
    const Child child = start_with_cpus(2, poller);
    char key[128] = "--shm-key=";
    preinit("", DLB_ERR_PERM);
    CHECK(strncmp(said, "drom: ", 6), 0);
    CHECK(strstr(said, "CPU") != NULL, 1);
    preinit("--silent", DLB_ERR_PERM);
    CHECK(said[0], '\0');
    memset(key + strlen(key), 'k', sizeof key - 1 - strlen(key));
    key[sizeof key - 1] = '\0';
    preinit(key, DLB_ERR_NOCOMP);
    CHECK(strncmp(said, "drom: dlb: preinit: --shm-key is too long", 41), 0);
    finish(&child);
}

/* Checks that a forked child is no client until it joins; then it is another client than its parent. */
static void in_the_child(void) {
    const cpu_set_t second = mask_of(2);
    cpu_set_t mask;
    CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_NOINIT);
    CHECK(DLB_PollDROM_Update(), DLB_ERR_NOINIT);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_Finalize(), DLB_NOUPDT);
    CHECK(mask_of_pid(getppid()), 1);
    step(); /* the parent has left CPU 1 */
    CHECK(DLB_Init(0, &second, "--drom"), DLB_SUCCESS);
    CHECK(mask_of_pid(0), 2);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    step();
}

static void forked(void) {
    const cpu_set_t both = mask_of(3), first = mask_of(1);
    cpu_set_t mask;
    Child child;
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMask(0, &first, DLB_NO_SYNC), DLB_SUCCESS);
    child = start_to_step(in_the_child);
    /* The parent's update reaches the parent, and not the child. */
    CHECK(DLB_PollDROM(NULL, &mask), DLB_SUCCESS);
    CHECK_MASK(mask, 1);
    next_step(&child);
    finish(&child);
    CHECK(DLB_DROM_GetProcessMask(child.pid, &mask, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

static void variables(void) {
    static const char* const texts[][2] = {{"--drom", "no"},           {"--mode", "async"},    {"--silent", "yes"},
                                           {"--shm-key", "of%2Fmine"}, {"--preinit-pid", "0"}, {"--debug-opts", ""},
                                           {"--lewi", "no"},           {"--talp", "no"}};
    const cpu_set_t first = mask_of(1);
    char value[64];
    size_t i;
    CHECK(DLB_SetVariable("--drom", "1"), DLB_ERR_NOINIT);
    CHECK(DLB_Init(0, &first, "--no-drom --mode=async --silent --shm-key=of/mine"), DLB_SUCCESS);
    for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
        memset(value, 'x', sizeof value);
        CHECK(DLB_GetVariable(texts[i][0], value), DLB_SUCCESS);
        CHECK(strcmp(value, texts[i][1]), 0);
        CHECK(DLB_SetVariable(texts[i][0], texts[i][1]), DLB_SUCCESS);
        CHECK(DLB_SetVariable(texts[i][0], "another"), DLB_ERR_PERM);
    }
    CHECK(DLB_GetVariable("--no-such", value), DLB_ERR_NOENT);
    CHECK(DLB_SetVariable("drom", "1"), DLB_ERR_NOENT);
    CHECK(DLB_GetVariable(NULL, value), DLB_ERR_UNKNOWN);
    CHECK(DLB_GetVariable("--drom", NULL), DLB_ERR_UNKNOWN);
    CHECK(DLB_SetVariable("--drom", NULL), DLB_ERR_UNKNOWN);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

int main(void) {
    check_begin();
    variables();
    names();
    numbers();
    missing_arguments();
    overlapping();
    reservation_without_a_reason();
    options_that_do_nothing();
    forked();
    printf("errors: every value has its name and its cause\n");
    return 0;
}
