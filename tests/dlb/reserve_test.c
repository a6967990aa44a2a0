/* SPDX-License-Identifier: BSD-3-Clause
 * reserve_test.c - CPUs reserved for a process that starts later: what it is told, what it gets, and which processes
 * may have a part of it. */
#include "check.h"

static const char* self_path;

static int has_word(const char* text, const char* word) {
    const char* at = text != NULL ? strstr(text, word) : NULL;
    return at != NULL && (at == text || at[-1] == ' ' || at[-1] == '=');
}

static const char* value_in(char** array, const char* name) {
    for (; *array != NULL; ++array)
        if (strncmp(*array, name, strlen(name)) == 0 && (*array)[strlen(name)] == '=') return *array + strlen(name) + 1;
    return NULL;
}

static char** small_environment(void) {
    char** array = malloc(3 * sizeof *array);
    array[0] = strdup("OMP_NUM_THREADS=4");
    array[1] = strdup("DLB_ARGS=--opt=foo");
    array[2] = NULL;
    return array;
}

static void free_environment(char** array) {
    char** at;
    for (at = array; *at != NULL; ++at) free(*at);
    free(array);
}

/* ---- what the process is told ---------------------------------------------------------------------------------- */

static void told_in_its_environment(void) {
    const cpu_set_t first = mask_of(1), both = mask_of(3);
    char** array = small_environment();
    char pid[32];
    snprintf(pid, sizeof pid, "--preinit-pid=%d", (int)getpid());
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &first, DLB_STEAL_CPUS, &array), DLB_SUCCESS);
    CHECK(has_word(value_in(array, "DLB_ARGS"), "--opt=foo"), 1);
    CHECK(has_word(value_in(array, "DLB_ARGS"), "--drom=1"), 1);
    CHECK(has_word(value_in(array, "DLB_ARGS"), pid), 1);
    CHECK(strcmp(value_in(array, "OMP_NUM_THREADS"), "1"), 0);
    CHECK(value_in(array, "DROM_SLOT") != NULL && value_in(array, "DROM_TABLE") != NULL, 1);
    CHECK(strcmp(value_in(array, "DROM_START_CPUS"), "0"), 0);
    CHECK(getenv("DLB_ARGS") == NULL, 1);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    free_environment(array);

    /* In the present environment, which does not grow with each reservation. */
    setenv("DLB_ARGS", "--opt=foo", 1);
    setenv("OMP_NUM_THREADS", "4", 1);
    CHECK(DLB_DROM_PreInit(getpid(), &both, DLB_RETURN_STOLEN, NULL), DLB_SUCCESS);
    CHECK(has_word(getenv("DLB_ARGS"), "--debug-opts=return-stolen"), 1);
    CHECK(strcmp(getenv("OMP_NUM_THREADS"), "2"), 0);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    unsetenv("OMP_NUM_THREADS");
    CHECK(DLB_DROM_PreInit(getpid(), &first, DLB_DROM_FLAGS_NONE, NULL), DLB_SUCCESS);
    {
        char expected[96];
        snprintf(expected, sizeof expected, "--opt=foo --drom=1 %s", pid);
        CHECK(strcmp(getenv("DLB_ARGS"), expected), 0);
    }
    CHECK(getenv("OMP_NUM_THREADS") == NULL, 1);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
}

/* ---- a program that is executed in the reservation ------------------------------------------------------------- */

/* Runs as the executed program: its exit status is the mask that it got. With "finalize" it finalizes before it
 * ends. */
static int program(const char* what) {
    cpu_set_t mask;
    CHECK(DLB_Init(0, NULL, NULL), DLB_SUCCESS);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    if (strcmp(what, "finalize") == 0) CHECK(DLB_Finalize(), DLB_SUCCESS);
    return (int)mask_bits(&mask);
}

static const char* what_it_does;

/* Follows the order of launchers: the child reserves for itself, and executes. */
static void reserve_and_execute(void) {
    const cpu_set_t second = mask_of(2);
    char** array = small_environment();
    CHECK(DLB_DROM_PreInit(getpid(), &second, DLB_DROM_FLAGS_NONE, &array), DLB_SUCCESS);
    execle(self_path, self_path, what_it_does, (char*)NULL, array);
    _exit(126);
}

static void executed(void) {
    Child child;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    what_it_does = "finalize";
    child = start(reserve_and_execute);
    CHECK(ended(&child), 2);
    CHECK(DLB_DROM_PostFinalize(child.pid, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC); /* the child has finalized itself */
    what_it_does = "end";
    child = start(reserve_and_execute);
    CHECK(ended(&child), 2);
    CHECK(DLB_DROM_PostFinalize(child.pid, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
}

/* Reserves in the parent for a child that knows nothing of drom, as a shell does: the reservation is there until the
 * parent ends it. */
static void executed_by_parent(void) {
    const cpu_set_t second = mask_of(2);
    Child child;
    cpu_set_t mask;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    child = start_to_step(step);
    CHECK(DLB_DROM_PreInit(child.pid, &second, DLB_DROM_FLAGS_NONE, NULL), DLB_SUCCESS);
    finish(&child);
    CHECK(DLB_DROM_GetProcessMask(child.pid, &mask, DLB_SYNC_QUERY), DLB_SUCCESS);
    CHECK_MASK(mask, 2);
    CHECK(DLB_DROM_PostFinalize(child.pid, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_PostFinalize(child.pid, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    /* For a process that does not exist yet. */
    CHECK(DLB_DROM_PreInit(4194000, &second, DLB_DROM_FLAGS_NONE, NULL), DLB_SUCCESS);
    CHECK(mask_of_pid(4194000), 2);
    CHECK(DLB_DROM_SetProcessMaskStr(4194000, "0", DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMaskStr(4194000, "1", DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_PostFinalize(4194000, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(0, &second, DLB_DROM_FLAGS_NONE, NULL), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
}

/* ---- oneself --------------------------------------------------------------------------------------------------- */

static void empty_at_first(void) {
    const cpu_set_t nothing = mask_of(0), both = mask_of(3);
    char value[64];
    cpu_set_t mask;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &nothing, DLB_STEAL_CPUS, NULL), DLB_SUCCESS);
    CHECK(DLB_Init(0, &nothing, NULL), DLB_SUCCESS);
    CHECK(DLB_DROM_GetProcessMask(getpid(), &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(CPU_COUNT(&mask), 0);
    CHECK(DLB_PollDROM(NULL, &mask), DLB_NOUPDT);
    CHECK(DLB_DROM_SetProcessMask(getpid(), &both, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_PollDROM(NULL, &mask), DLB_NOUPDT);
    CHECK(mask_of_pid(getpid()), 3);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
    /* A reservation of no CPUs: the program gets what it asks for itself. */
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &nothing, DLB_STEAL_CPUS, NULL), DLB_SUCCESS);
    CHECK(DLB_GetVariable("--drom", value), DLB_ERR_NOINIT);
    CHECK(DLB_Init(0, &both, NULL), DLB_SUCCESS);
    CHECK(DLB_GetVariable("--drom", value), DLB_SUCCESS); /* a process with a reservation has it on */
    CHECK(strcmp(value, "yes"), 0);
    CHECK(DLB_DROM_GetProcessMask(getpid(), &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(CPU_COUNT(&mask), 0);
    CHECK(DLB_DROM_SetProcessMask(getpid(), &both, DLB_NO_SYNC), DLB_SUCCESS);
    CHECK(DLB_PollDROM(NULL, &mask), DLB_SUCCESS);
    CHECK_MASK(mask, 3);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
    /* Also without a reservation a program may begin with no CPU. */
    CHECK(DLB_Init(0, &nothing, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(CPU_COUNT(&mask), 0);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

static void more_and_less(void) {
    const cpu_set_t first = mask_of(1), second = mask_of(2), both = mask_of(3);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &first, DLB_DROM_FLAGS_NONE, NULL), DLB_SUCCESS);
    CHECK(DLB_Init(0, &both, NULL), DLB_SUCCESS); /* free CPUs come in addition */
    CHECK(mask_of_pid(0), 3);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &both, DLB_DROM_FLAGS_NONE, NULL), DLB_SUCCESS);
    CHECK(DLB_Init(0, &second, NULL), DLB_SUCCESS);
    CHECK(mask_of_pid(0), 2);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
}

static void preinit_of_dlb_run(void) {
    const cpu_set_t first = mask_of(1);
    char** array = small_environment();
    CHECK(DLB_PreInit(&first, &array), DLB_SUCCESS);
    CHECK(DLB_PreInit(&first, &array), DLB_ERR_INIT);
    CHECK(has_word(value_in(array, "DLB_ARGS"), "--opt=foo"), 1);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_NOUPDT);
    CHECK(DLB_PreInit(&first, NULL), DLB_SUCCESS);
    CHECK(DLB_Init(0, &first, "--drom"), DLB_SUCCESS);
    CHECK(DLB_PreInit(&first, NULL), DLB_ERR_INIT);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_SUCCESS); /* ends the part of DLB_PreInit */
    free_environment(array);
    unsetenv("DLB_ARGS");
}

/* Ends a reservation and an initialisation of one process. In between no process may reserve for it once more. */
static void finalized_once_for_each(void) {
    const cpu_set_t first = mask_of(1), both = mask_of(3);
    int round;
    for (round = 0; round < 3; ++round) {
        CHECK(DLB_PreInit(&both, NULL), DLB_SUCCESS);
        CHECK(DLB_Init(0, &first, NULL), DLB_SUCCESS);
        CHECK(DLB_Init(0, &first, NULL), DLB_ERR_INIT);
        CHECK(mask_of_pid(getpid()), 1);
        CHECK(DLB_Finalize(), DLB_SUCCESS);
        CHECK(DLB_PreInit(&both, NULL), DLB_ERR_INIT);
        CHECK(DLB_Finalize(), DLB_SUCCESS);
        CHECK(DLB_Finalize(), DLB_NOUPDT);
    }
    unsetenv("DLB_ARGS");
}

/* Takes part in the reservation of a launcher. The launcher and the program that it has started finalize in either
 * order. */
static void inheritor(void) {
    const cpu_set_t nothing = mask_of(0);
    CHECK(DLB_Init(0, &nothing, NULL), DLB_SUCCESS);
    CHECK(mask_of_pid(0), 2);
    step();
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    step();
}

static void launcher_and_program(int program_first) {
    const cpu_set_t second = mask_of(2);
    Child child;
    CHECK(DLB_PreInit(&second, NULL), DLB_SUCCESS);
    child = start_to_step(inheritor);
    if (program_first) next_step(&child);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_NOUPDT);
    if (!program_first) next_step(&child);
    finish(&child);
    unsetenv("DLB_ARGS");
}

/* ---- several processes in one reservation ---------------------------------------------------------------------- */

static unsigned part;

static void take_part(void) {
    const cpu_set_t mask = mask_of(part);
    CHECK(DLB_Init(0, &mask, "--drom"), DLB_SUCCESS);
    step();
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

static void divided(void) {
    const cpu_set_t both = mask_of(3);
    Child children[2];
    int i;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &both, DLB_DROM_FLAGS_NONE, NULL), DLB_SUCCESS);
    for (i = 0; i < 2; ++i) {
        part = 1u << i;
        children[i] = start_to_step(take_part);
    }
    for (i = 0; i < 2; ++i) {
        cpu_set_t mask;
        CHECK(DLB_DROM_GetProcessMask(children[i].pid, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
        CHECK(mask_bits(&mask), 1u << i);
    }
    for (i = 0; i < 2; ++i) finish(&children[i]);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
}

int main(int argc, char** argv) {
    if (argc > 1) return program(argv[1]);
    self_path = realpath("/proc/self/exe", NULL);
    (void)argv;
    check_begin();
    told_in_its_environment();
    executed();
    executed_by_parent();
    empty_at_first();
    more_and_less();
    preinit_of_dlb_run();
    finalized_once_for_each();
    launcher_and_program(1);
    launcher_and_program(0);
    divided();
    printf("reservations: all as in DLB\n");
    return 0;
}
