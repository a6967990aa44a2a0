/* SPDX-License-Identifier: BSD-3-Clause
 * defects_test.c - defects of DLB 3.7, one function per defect, named after what it did to people. */
#include "check.h"

#include <pthread.h>
#include <sys/stat.h>

/* Sets masks from garbage, which was accepted, and took all CPUs. */
static void text_that_is_no_mask(void) {
    static const char* const texts[] = {"",    "abc", "0-",    "1-0", "99999999999", "0 1",    "-1",
                                        "0,",  ",0",  "0x",    "0xg", "0b",          "0b0000", "0b2",
                                        "0x0", "+1",  "0-1-1", "0;1", " 0",          "0 "};
    const cpu_set_t both = mask_of(3);
    char* many = malloc(9000);
    size_t i;
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        CHECK(DLB_DROM_SetProcessMaskStr(0, texts[i], DLB_DROM_FLAGS_NONE), DLB_ERR_PERM);
        CHECK(DLB_DROM_SetProcessMaskStr(getpid(), texts[i], DLB_NO_SYNC), DLB_ERR_PERM);
    }
    CHECK(DLB_DROM_SetProcessMaskStr(0, NULL, DLB_DROM_FLAGS_NONE), DLB_ERR_PERM);
    CHECK(DLB_DROM_SetProcessMaskStr(0, "0-1023", DLB_DROM_FLAGS_NONE), DLB_ERR_PERM);
    CHECK(mask_of_pid(getpid()), 3);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    /* A text of any length is read to its end. */
    memset(many, '0', 8001);
    many[8001] = '\0';
    for (i = 1; i < 8001; i += 2) many[i] = ',';
    CHECK(DLB_DROM_SetProcessMaskStr(0, many, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(mask_of_pid(getpid()), 1);
    CHECK(DLB_DROM_SetProcessMaskStr(0, "0x3", DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(mask_of_pid(getpid()), 3);
    CHECK(DLB_DROM_SetProcessMaskStr(0, "0b01", DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(mask_of_pid(getpid()), 2);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    free(many);
}

/* Sets masks of CPUs that do not exist, which were dropped without a word. An empty mask was accepted. */
static void mask_of_other_cpus(void) {
    const cpu_set_t first = mask_of(1), nothing = mask_of(0);
    cpu_set_t absent = mask_of(1);
    CPU_SET(1023, &absent);
    setenv("DLB_ARGS", "--silent", 1);
    CHECK(DLB_Init(0, &absent, "--drom"), DLB_ERR_PERM);
    CHECK(DLB_Init(0, &first, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMask(0, &absent, DLB_DROM_FLAGS_NONE), DLB_ERR_PERM);
    CHECK(DLB_DROM_SetProcessMask(0, &nothing, DLB_DROM_FLAGS_NONE), DLB_ERR_PERM);
    CHECK(DLB_DROM_PreInit(4194000, &absent, DLB_STEAL_CPUS, NULL), DLB_ERR_PERM);
    CHECK(DLB_DROM_PostFinalize(4194000, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(mask_of_pid(getpid()), 1);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
}

/* Opens and closes the table often. Two descriptors stayed open with each attach, and with each call of a process that
 * was not attached. */
static void daemon_that_attaches_often(void) {
    Child child;
    int before, i;
    child = start_with_cpus(3, poller);
    before = check_descriptors();
    for (i = 0; i < 600; ++i) {
        CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
        CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
        CHECK(mask_of_pid(child.pid), 3);
    }
    CHECK(check_descriptors(), before);
    finish(&child);
}

static void busy_reader(void) {
    int pids[8], count;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    step();
    for (;;) DLB_DROM_GetPidList(pids, &count, 8);
}

static void busy_writer(void) {
    poller();
    for (;;) {
        DLB_DROM_SetProcessMaskStr(0, "0", DLB_DROM_FLAGS_NONE);
        DLB_DROM_SetProcessMaskStr(0, "0-1", DLB_DROM_FLAGS_NONE);
    }
}

/* Kills processes at any moment. One that was killed while it held the lock blocked all others for ever, and new ones
 * were aborted after 10 s. */
static void killed_at_any_moment(void) {
    int round;
    for (round = 0; round < 40; ++round) {
        const cpu_set_t both = mask_of(3);
        Child child;
        child = start_with_cpus(3, round % 2 == 0 ? busy_reader : busy_writer);
        let_go(&child);
        usleep((useconds_t)(round * 37 % 1500));
        kill_child(&child);
        CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
        CHECK(DLB_DROM_SetProcessMaskStr(0, "1", DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
        CHECK(DLB_Finalize(), DLB_SUCCESS);
    }
}

/* Waits as a child of a registered process. Such a child was taken for its parent. */
static void helper(void) { step(); }

static void helper_of_a_launcher(void) {
    const cpu_set_t both = mask_of(3), first = mask_of(1);
    cpu_set_t mask;
    Child child;
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    child = start_to_step(helper);
    CHECK(DLB_DROM_GetProcessMask(child.pid, &mask, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &first, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_PostFinalize(child.pid, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(mask_of_pid(getpid()), 3);
    finish(&child);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

/* Initialises once more after a failure, which was not possible. */
static void second_try(void) {
    const cpu_set_t first = mask_of(1);
    char* kept = strdup(getenv("DROM_TABLE"));
    setenv("DROM_TABLE", check_path("no/such/folder"), 1);
    setenv("DLB_ARGS", "--silent", 1);
    CHECK(DLB_Init(0, &first, "--drom") < 0, 1);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_NOINIT);
    CHECK(DLB_DROM_Detach(), DLB_ERR_NOSHMEM);
    setenv("DROM_TABLE", kept, 1);
    unsetenv("DLB_ARGS");
    CHECK(DLB_Init(0, &first, "--drom"), DLB_SUCCESS);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    free(kept);
}

/* Joins with another size of the shared memory, at which the first process got SIGBUS. */
static void comer_with_other_sizes(void) {
    const cpu_set_t second = mask_of(2);
    const Child child = start_with_cpus(1, poller);
    CHECK(DLB_Init(0, &second, "--drom --shm-size-multiplier=4"), DLB_SUCCESS);
    CHECK(mask_of_pid(child.pid), 1);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    finish(&child);
}

/* Opens the table of another user. A user who made a file of that name first could move all processes. A program that
 * might not open the file hung. */
static void table_of_another_user(void) {
    const cpu_set_t first = mask_of(1);
    const char* table = check_path("strange");
    CHECK(mkdir(table, 0777), 0);
    CHECK(chmod(table, 0777), 0);
    if (geteuid() == 0) {
        CHECK(chown(table, 12345, 12345), 0);
    }
    {
        char* kept = strdup(getenv("DROM_TABLE"));
        setenv("DROM_TABLE", table, 1);
        setenv("DLB_ARGS", "--silent", 1);
        CHECK(DLB_Init(0, &first, "--drom") < 0, 1);
        CHECK(DLB_DROM_Attach() < 0, 1);
        CHECK(DLB_DROM_Detach(), DLB_ERR_NOSHMEM);
        setenv("DROM_TABLE", kept, 1);
        unsetenv("DLB_ARGS");
        free(kept);
    }
}

/* Opens tables by their keys, and refuses one that is too long. Keys were cut at 64 characters: two long keys were
 * taken for the same. */
static void keys(void) {
    const cpu_set_t first = mask_of(1);
    static const char* const good[] = {"--drom --shm-key=a", "--drom --shm-key=b", "--drom --shm-key=a/../b",
                                       "--drom --shm-key=a%2Fb", "--drom --shm-key=.."};
    char key[128];
    size_t i;
    Child children[8];
    child_cpus = 1;
    /* Each child has the same CPU, in a table of its own. */
    for (i = 0; i < sizeof good / sizeof good[0]; ++i) {
        child_args = good[i];
        children[i] = start_to_step(poller);
    }
    for (i = 0; i < sizeof good / sizeof good[0]; ++i) {
        cpu_set_t mask;
        int pids[4], count;
        setenv("DLB_ARGS", good[i], 1);
        CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
        CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
        CHECK(count, 1);
        CHECK(pids[0], children[i].pid);
        CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
        CHECK(DLB_DROM_GetProcessMask(children[i].pid, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
        CHECK(DLB_DROM_GetProcessMask(children[(i + 1) % 5].pid, &mask, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    }
    for (i = 0; i < sizeof good / sizeof good[0]; ++i) finish(&children[i]);
    unsetenv("DLB_ARGS");
    child_args = "--drom";
    memset(key, 'k', sizeof key - 1);
    memcpy(key, "--shm-key=", 10);
    key[sizeof key - 1] = '\0';
    setenv("DLB_ARGS", "--silent", 1);
    CHECK(DLB_Init(0, &first, key), DLB_ERR_NOCOMP);
    unsetenv("DLB_ARGS");
}

/* Polls in one thread. The thread that polled first took the update with it: the other threads stayed where they
 * were. */
static void* poll_here(void* status) {
    *(int*)status = DLB_PollDROM(NULL, NULL);
    return NULL;
}

static void poll_in_another_thread(void) {
    const cpu_set_t both = mask_of(3), second = mask_of(2);
    cpu_set_t mask;
    pthread_t thread;
    int status = DLB_ERR_UNKNOWN;
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMask(0, &second, DLB_NO_SYNC), DLB_SUCCESS);
    CHECK(pthread_create(&thread, NULL, poll_here, &status), 0);
    CHECK(pthread_join(thread, NULL), 0);
    CHECK(status, DLB_SUCCESS);
    CHECK(sched_getaffinity(0, sizeof mask, &mask), 0);
    CHECK_MASK(mask, 2);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    CHECK(DLB_DROM_SetProcessMask(0, &both, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

int main(void) {
    check_begin();
    text_that_is_no_mask();
    mask_of_other_cpus();
    daemon_that_attaches_often();
    killed_at_any_moment();
    helper_of_a_launcher();
    second_try();
    comer_with_other_sizes();
    poll_in_another_thread();
    keys();
    table_of_another_user();
    printf("defects: none of them here\n");
    return 0;
}
