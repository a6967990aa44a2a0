/* SPDX-License-Identifier: BSD-3-Clause
 * others_test.c - an administrator and the processes it moves: set, poll, wait, steal, return, recover. Some processes
 * are killed, and some do not answer. */
#include "check.h"

#include <sys/resource.h>

static cpu_set_t told;

static void note_mask(const_dlb_cpu_set_t mask, void* arg) {
    (void)arg;
    memcpy(&told, mask, sizeof told);
}

/* Polls until something new comes; returns the bits of the mask. */
static int poll_until_new(void) {
    cpu_set_t mask;
    int status = DLB_NOUPDT;
    while ((status = DLB_PollDROM(NULL, &mask)) == DLB_NOUPDT) usleep(500);
    CHECK(status, DLB_SUCCESS);
    return (int)mask_bits(&mask);
}

static unsigned poll_once(void) {
    cpu_set_t mask;
    CHECK(DLB_PollDROM(NULL, &mask), DLB_SUCCESS);
    return mask_bits(&mask);
}

/* Returns the mask of a process after it has answered all requests so far. */
static unsigned mask_when_answered(pid_t pid) {
    cpu_set_t mask;
    CHECK(DLB_DROM_GetProcessMask(pid, &mask, DLB_SYNC_QUERY), DLB_SUCCESS);
    return mask_bits(&mask);
}

/* ---- set and poll, with callbacks ------------------------------------------------------------------------------ */

static void follows(void) {
    const cpu_set_t both = mask_of(3);
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    CHECK(DLB_CallbackSet(dlb_callback_set_process_mask, (dlb_callback_t)note_mask, NULL), DLB_SUCCESS);
    step();
    CHECK(DLB_PollDROM_Update(), DLB_SUCCESS);
    CHECK_MASK(told, 1);
    step();
    CHECK(DLB_PollDROM_Update(), DLB_SUCCESS);
    CHECK_MASK(told, 3);
    CHECK(DLB_PollDROM_Update(), DLB_NOUPDT);
    step();
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

static void set_and_poll(void) {
    const cpu_set_t both = mask_of(3), one = mask_of(1);
    const Child child = start_to_step(follows);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &one, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &one, DLB_DROM_FLAGS_NONE), DLB_ERR_PDIRTY);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &both, DLB_SYNC_QUERY), DLB_ERR_PDIRTY);
    CHECK(mask_of_pid(child.pid), 1);
    next_step(&child);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &both, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    next_step(&child);
    CHECK(mask_of_pid(child.pid), 3);
    finish(&child);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &both, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_GetProcessMask(child.pid, &told, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
}

/* ---- waiting --------------------------------------------------------------------------------------------------- */

static void answers(void) {
    poller();
    while (poll_until_new() != 1) {}
    step();
    CHECK(poll_until_new(), 3);
    step();
}

static long elapsed_ms(const struct timespec* from) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - from->tv_sec) * 1000 + (now.tv_nsec - from->tv_nsec) / 1000000;
}

static void waiting(void) {
    const cpu_set_t both = mask_of(3), one = mask_of(1);
    struct timespec begin;
    cpu_set_t mask;
    const Child child = start_with_cpus(3, answers);
    let_go(&child);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &one, DLB_SYNC_QUERY), DLB_SUCCESS);
    CHECK(await_step(&child), 1);
    let_go(&child);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &both, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(mask_when_answered(child.pid), 3);
    CHECK(await_step(&child), 1);
    /* It does not poll any more. */
    setenv("DROM_TIMEOUT_MS", "200", 1);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &one, DLB_SYNC_QUERY), DLB_ERR_TIMEOUT);
    CHECK(elapsed_ms(&begin) >= 200, 1);
    CHECK(DLB_DROM_GetProcessMask(child.pid, &mask, DLB_SYNC_QUERY), DLB_ERR_TIMEOUT);
    CHECK(mask_of_pid(child.pid), 1);
    /* The old request does not block for ever: one that has waited for twice the limit is replaced. */
    while (elapsed_ms(&begin) < 450) usleep(1000);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &both, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &one, DLB_DROM_FLAGS_NONE), DLB_ERR_PDIRTY);
    /* With a grace period, such a process is confined from outside. */
    while (elapsed_ms(&begin) < 900) usleep(1000);
    setenv("DROM_GRACE_MS", "1", 1);
    CHECK(DLB_DROM_SetProcessMask(child.pid, &one, DLB_SYNC_QUERY), DLB_SUCCESS);
    CHECK(sched_getaffinity(child.pid, sizeof mask, &mask), 0);
    CHECK_MASK(mask, 1);
    unsetenv("DROM_GRACE_MS");
    unsetenv("DROM_TIMEOUT_MS");
    finish(&child);
}

/* ---- stealing -------------------------------------------------------------------------------------------------- */

static void victim(void) {
    cpu_set_t mask;
    poller();
    CHECK(poll_once(), 1);
    step();
    CHECK(DLB_PollDROM(NULL, &mask), DLB_NOUPDT);
    step();
    CHECK(poll_once(), 3);
    step();
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

/* Takes CPUs without DLB_RETURN_STOLEN: they are free afterwards, until they are recovered. */
static void steal_and_recover(void) {
    const cpu_set_t second = mask_of(2);
    const Child child = start_with_cpus(3, victim);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &second, DLB_DROM_FLAGS_NONE, NULL), DLB_ERR_PERM);
    CHECK(DLB_DROM_RecoverStolenCpus(child.pid), DLB_NOUPDT);
    CHECK(DLB_DROM_PreInit(getpid(), &second, DLB_STEAL_CPUS, NULL), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &second, DLB_STEAL_CPUS, NULL), DLB_ERR_INIT);
    CHECK(mask_of_pid(child.pid), 1);
    CHECK(mask_of_pid(getpid()), 2);
    next_step(&child);
    CHECK(DLB_DROM_RecoverStolenCpus(child.pid), DLB_SUCCESS); /* none is idle */
    CHECK(mask_of_pid(child.pid), 1);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(mask_of_pid(child.pid), 1);
    next_step(&child);
    CHECK(DLB_DROM_RecoverStolenCpus(child.pid), DLB_SUCCESS);
    CHECK(mask_of_pid(child.pid), 3);
    CHECK(DLB_DROM_RecoverStolenCpus(child.pid), DLB_NOUPDT);
    CHECK(DLB_DROM_RecoverStolenCpus(1), DLB_ERR_NOPROC);
    next_step(&child);
    finish(&child);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
}

static void robbed(void) {
    poller();
    CHECK(poll_once(), 1);
    step();
    CHECK(poll_once(), 3);
    step();
}

/* Takes CPUs with DLB_RETURN_STOLEN: they go back on the flag of either call, and when the thief is killed. */
static void steal_and_return(void) {
    const cpu_set_t second = mask_of(2);
    Child child, thief;
    int way;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    for (way = 0; way < 3; ++way) {
        const dlb_drom_flags_t flags =
            way == 0 ? DLB_STEAL_CPUS : (dlb_drom_flags_t)(DLB_STEAL_CPUS | DLB_RETURN_STOLEN);
        child = start_with_cpus(3, robbed);
        thief = start_to_step(step);
        CHECK(DLB_DROM_PreInit(thief.pid, &second, flags, NULL), DLB_SUCCESS);
        next_step(&child);
        CHECK(mask_of_pid(child.pid), 1);
        if (way == 2) kill_child(&thief);
        CHECK(DLB_DROM_PostFinalize(thief.pid, way == 0 ? DLB_RETURN_STOLEN : DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
        CHECK(mask_of_pid(child.pid), 3);
        next_step(&child);
        if (way != 2) finish(&thief);
        finish(&child);
    }
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
}

/* Takes CPUs of a victim that has not polled yet when the thief is gone again. */
static void steal_and_return_at_once(void) {
    const cpu_set_t second = mask_of(2);
    const Child child = start_with_cpus(3, poller);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(getpid(), &second, (dlb_drom_flags_t)(DLB_STEAL_CPUS | DLB_RETURN_STOLEN), NULL),
          DLB_SUCCESS);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_RETURN_STOLEN), DLB_SUCCESS);
    CHECK(mask_of_pid(child.pid), 3);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    finish(&child);
    unsetenv("DLB_ARGS");
}

/* Takes CPUs with DLB_SYNC_QUERY: no process starts before the victim has left. If the victim does not leave, nothing
 * has changed. */
static void steal_in_step(void) {
    const cpu_set_t second = mask_of(2);
    const dlb_drom_flags_t flags = (dlb_drom_flags_t)(DLB_STEAL_CPUS | DLB_SYNC_QUERY);
    const Child child = start_with_cpus(3, answers);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    setenv("DROM_TIMEOUT_MS", "150", 1);
    CHECK(DLB_DROM_PreInit(getpid(), &second, flags, NULL), DLB_ERR_TIMEOUT);
    unsetenv("DROM_TIMEOUT_MS");
    CHECK(mask_of_pid(child.pid), 3);
    CHECK(getenv("DLB_ARGS") == NULL, 1);
    {
        cpu_set_t mask;
        CHECK(DLB_DROM_GetProcessMask(getpid(), &mask, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
        let_go(&child); /* it answers from here on, first to the steal that was called off */
        CHECK(mask_when_answered(child.pid), 3);
    }
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    kill_child(&child);
}

/* Joins without DLB_SYNC_QUERY: the newcomer has its CPUs at once, as with DLB. It is not notified of them again when
 * the victim has left. */
static void newcomer(void) {
    cpu_set_t mask;
    step();
    CHECK(DLB_Init(0, NULL, "--drom"), DLB_SUCCESS);
    CHECK(sched_getaffinity(0, sizeof mask, &mask), 0);
    CHECK_MASK(mask, 2);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    step();
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    CHECK(mask_of_pid(0), 2);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

static void steal_at_once(void) {
    const cpu_set_t second = mask_of(2);
    const Child child = start_with_cpus(3, answers);
    const Child thief = start_to_step(newcomer);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_PreInit(thief.pid, &second, DLB_STEAL_CPUS, NULL), DLB_SUCCESS);
    next_step(&thief);
    next_step(&child);
    CHECK(mask_when_answered(child.pid), 1);
    finish(&thief);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    kill_child(&child);
    unsetenv("DLB_ARGS");
}

/* Sets a client's mask to CPUs of others, which then lose them. */
static void take_by_setting(void) {
    const cpu_set_t both = mask_of(3), first = mask_of(1);
    Child rich, poor;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    poor = start_with_cpus(2, answers);
    rich = start_with_cpus(1, poller);
    /* `poor` would be left without any CPU, which is never done to a client. */
    CHECK(DLB_DROM_SetProcessMask(rich.pid, &both, DLB_DROM_FLAGS_NONE), DLB_ERR_PERM);
    CHECK(mask_of_pid(poor.pid), 2);
    finish(&rich);
    let_go(&poor);
    CHECK(DLB_DROM_SetProcessMask(poor.pid, &first, DLB_SYNC_QUERY), DLB_SUCCESS);
    CHECK(await_step(&poor), 1);
    kill_child(&poor);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
}

/* Waits, which keeps the order: no client has a CPU before its owner has left it, also when the wait was in vain. */
static void next_owner(void) {
    const cpu_set_t nothing = mask_of(0);
    CHECK(DLB_Init(0, &nothing, "--drom"), DLB_SUCCESS);
    step();
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    step();
    CHECK(poll_until_new(), 2);
    step();
}

static void take_in_step(void) {
    const cpu_set_t second = mask_of(2);
    const Child owner = start_with_cpus(3, answers);
    const Child next = start_to_step(next_owner);
    setenv("DROM_TIMEOUT_MS", "150", 1);
    CHECK(DLB_DROM_SetProcessMask(next.pid, &second, DLB_SYNC_QUERY), DLB_ERR_TIMEOUT);
    unsetenv("DROM_TIMEOUT_MS");
    next_step(&next);
    next_step(&owner);
    CHECK(mask_when_answered(owner.pid), 1);
    next_step(&next);
    finish(&next);
    kill_child(&owner);
}

/* ---- in the agent's own thread --------------------------------------------------------------------------------- */

static volatile int async_calls;

static void note_async(const_dlb_cpu_set_t mask, void* arg) {
    note_mask(mask, arg);
    async_calls = async_calls + 1;
}

static void asynchronous(void) {
    const cpu_set_t both = mask_of(3);
    int again;
    for (again = 0; again < 3; ++again) {
        async_calls = 0;
        CHECK(DLB_Init(0, &both, "--drom --mode=async"), DLB_SUCCESS);
        CHECK(DLB_CallbackSet(dlb_callback_set_process_mask, (dlb_callback_t)note_async, NULL), DLB_SUCCESS);
        step();
        while (async_calls == 0) usleep(500);
        CHECK_MASK(told, 2);
        CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
        step(); /* the administrator still waits for the answer */
        CHECK(DLB_Finalize(), DLB_SUCCESS);
    }
}

static void without_polling(void) {
    const cpu_set_t second = mask_of(2);
    const Child child = start(asynchronous);
    int again;
    for (again = 0; again < 3; ++again) {
        CHECK(await_step(&child), 1);
        let_go(&child);
        CHECK(DLB_DROM_SetProcessMask(child.pid, &second, DLB_SYNC_QUERY), DLB_SUCCESS);
        CHECK(await_step(&child), 1);
        let_go(&child);
    }
    CHECK(ended(&child), 0);
}

/* Looks into its table without opening it again: a process that takes part needs no further descriptor. */
static void looks_without_attach(void) {
    const cpu_set_t first = mask_of(1);
    const Child other = start_with_cpus(2, poller);
    struct rlimit limit, none;
    cpu_set_t mask;
    int pids[4], count = 0;
    CHECK(DLB_Init(0, &first, "--drom"), DLB_SUCCESS);
    CHECK(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &none), 0);
    CHECK(mask_of_pid(0), 1);
    CHECK(mask_of_pid(getpid()), 1);
    CHECK(mask_of_pid(other.pid), 2);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(count, 2);
    CHECK(DLB_DROM_GetPidList(pids, &count, 1), DLB_SUCCESS);
    CHECK(count, 1);
    CHECK(DLB_DROM_GetNumCpus(&count), DLB_SUCCESS);
    CHECK(count >= 2, 1);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit), 0);
    kill_child(&other);
    CHECK(DLB_DROM_GetProcessMask(other.pid, &mask, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(count, 1);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_ERR_NOSHMEM);
}

int main(void) {
    check_begin();
    looks_without_attach();
    set_and_poll();
    waiting();
    steal_and_recover();
    steal_and_return();
    steal_and_return_at_once();
    steal_in_step();
    steal_at_once();
    take_by_setting();
    take_in_step();
    without_polling();
    printf("administrator: all as in DLB\n");
    return 0;
}
