/* SPDX-License-Identifier: BSD-3-Clause
 * self_test.c - one process by itself: initialise, look, change its own mask, poll, callbacks, and all of it again. */
#include "check.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int calls, last_count;
static cpu_set_t last_mask;
static void* last_arg;

static void set_mask(const_dlb_cpu_set_t mask, void* arg) {
    ++calls;
    memcpy(&last_mask, mask, sizeof last_mask);
    last_arg = arg;
}

static void set_threads(int count, void* arg) {
    (void)arg;
    last_count = count;
}

static unsigned affinity(void) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    return mask_bits(&mask);
}

static void before_init(void) {
    cpu_set_t mask = mask_of(1);
    int number = 7;
    CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_NOINIT);
    CHECK(DLB_PollDROM_Update(), DLB_ERR_NOINIT);
    CHECK(DLB_Enable(), DLB_ERR_NOINIT);
    CHECK(DLB_Disable(), DLB_ERR_NOINIT);
    CHECK(DLB_Finalize(), DLB_NOUPDT);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_SetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_SetProcessMaskStr(0, "0", DLB_DROM_FLAGS_NONE), DLB_ERR_NOPROC);
    CHECK(DLB_DROM_GetPidList(&number, &number, 1), DLB_ERR_NOSHMEM);
    CHECK(DLB_DROM_PreInit(getpid(), &mask, DLB_DROM_FLAGS_NONE, NULL), DLB_ERR_NOSHMEM);
    CHECK(DLB_DROM_PostFinalize(getpid(), DLB_DROM_FLAGS_NONE), DLB_ERR_NOSHMEM);
    CHECK(DLB_DROM_RecoverStolenCpus(getpid()), DLB_ERR_NOSHMEM);
    CHECK(DLB_DROM_Detach(), DLB_ERR_NOSHMEM);
}

static void versions(void) {
    int major, minor, patch;
    CHECK(DLB_GetVersion(&major, &minor, &patch), DLB_SUCCESS);
    CHECK(major, DLB_VERSION >> 16 & 0xff);
    CHECK(minor, DLB_VERSION >> 8 & 0xff);
    CHECK(patch, DLB_VERSION & 0xff);
    CHECK(DLB_GetVersion(NULL, NULL, NULL), DLB_SUCCESS);
}

static void own_mask(void) {
    const cpu_set_t both = mask_of(3), one = mask_of(2);
    cpu_set_t mask;
    int count = 0;
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    CHECK(DLB_Init(0, &both, "--drom"), DLB_ERR_INIT);
    CHECK(DLB_PollDROM(&count, &mask), DLB_NOUPDT);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK_MASK(mask, 3);
    /* The mask changes at once ... */
    CHECK(DLB_DROM_SetProcessMask(0, &one, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(affinity(), 2);
    CHECK(DLB_PollDROM(NULL, &mask), DLB_NOUPDT);
    CHECK(DLB_DROM_GetProcessMask(getpid(), &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK_MASK(mask, 2);
    /* ... or with the next poll. */
    CHECK(DLB_DROM_SetProcessMask(0, &both, DLB_NO_SYNC), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMask(0, &one, DLB_DROM_FLAGS_NONE), DLB_ERR_PDIRTY);
    CHECK(DLB_PollDROM(&count, &mask), DLB_SUCCESS);
    CHECK(count, 2);
    CHECK_MASK(mask, 3);
    CHECK(affinity(), 3);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    CHECK(DLB_DROM_SetProcessMask(0, &one, DLB_NO_SYNC), DLB_SUCCESS);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_NOTED);
    CHECK_MASK(mask, 2);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    CHECK(DLB_DROM_SetProcessMask(getpid(), &one, DLB_SYNC_NOW), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMaskStr(0, "0-1", DLB_SYNC_QUERY), DLB_SUCCESS);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_SYNC_QUERY), DLB_SUCCESS);
    CHECK_MASK(mask, 3);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_NOUPDT);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_NOINIT);
}

static void callbacks(void) {
    const cpu_set_t both = mask_of(3), one = mask_of(1);
    dlb_callback_t fn = NULL;
    void* arg = NULL;
    int which;
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    CHECK(DLB_CallbackSet((dlb_callbacks_t)42, (dlb_callback_t)set_mask, NULL), DLB_ERR_NOCBK);
    CHECK(DLB_CallbackSet((dlb_callbacks_t)0, (dlb_callback_t)set_mask, NULL), DLB_ERR_NOCBK);
    CHECK(DLB_CallbackGet((dlb_callbacks_t)10, &fn, &arg), DLB_ERR_NOCBK);
    for (which = dlb_callback_set_num_threads; which <= dlb_callback_disable_cpu_set; ++which) {
        CHECK(DLB_CallbackGet((dlb_callbacks_t)which, &fn, &arg), DLB_SUCCESS);
        CHECK(fn == NULL, 1);
    }
    CHECK(DLB_CallbackSet(dlb_callback_set_process_mask, (dlb_callback_t)set_mask, &calls), DLB_SUCCESS);
    CHECK(DLB_CallbackSet(dlb_callback_set_num_threads, (dlb_callback_t)set_threads, NULL), DLB_SUCCESS);
    CHECK(DLB_CallbackGet(dlb_callback_set_process_mask, &fn, &arg), DLB_SUCCESS);
    CHECK(fn == (dlb_callback_t)set_mask && arg == &calls, 1);
    CHECK(DLB_PollDROM_Update(), DLB_NOUPDT);
    CHECK(calls, 0);
    CHECK(DLB_DROM_SetProcessMask(0, &one, DLB_NO_SYNC), DLB_SUCCESS);
    CHECK(DLB_PollDROM_Update(), DLB_SUCCESS);
    CHECK(calls, 1);
    CHECK_MASK(last_mask, 1);
    CHECK(last_arg == &calls, 1);
    CHECK(last_count, 1);
    CHECK(DLB_DROM_SetProcessMask(0, &both, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(calls, 2);
    CHECK_MASK(last_mask, 3);
    CHECK(last_count, 2);
    CHECK(DLB_PollDROM_Update(), DLB_NOUPDT);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_CallbackGet(dlb_callback_set_process_mask, &fn, &arg), DLB_SUCCESS);
    CHECK(fn == NULL, 1);
}

static void enabling(void) {
    const cpu_set_t both = mask_of(3), one = mask_of(1);
    cpu_set_t mask;
    CHECK(DLB_Init(0, &both, "--drom"), DLB_SUCCESS);
    CHECK(DLB_Enable(), DLB_NOUPDT);
    CHECK(DLB_Disable(), DLB_SUCCESS);
    CHECK(DLB_Disable(), DLB_NOUPDT);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_DISBLD);
    CHECK(DLB_Enable(), DLB_SUCCESS);
    CHECK(DLB_DROM_SetProcessMask(0, &one, DLB_NO_SYNC), DLB_SUCCESS);
    CHECK(DLB_PollDROM(NULL, &mask), DLB_SUCCESS);
    CHECK_MASK(mask, 1);
    CHECK(DLB_Disable(), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    /* Without --drom a process is registered, but follows nothing. */
    CHECK(DLB_Init(0, &one, NULL), DLB_SUCCESS);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_NOCOMP);
    CHECK(DLB_PollDROM_Update(), DLB_ERR_NOCOMP);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

static void options(void) {
    const cpu_set_t one = mask_of(1);
    static const char* const on[] = {"--drom", "--drom=1", "--drom=yes", "  --quiet\t--drom=true ", "--no-drom --drom"};
    static const char* const off[] = {"", "--no-drom", "--drom=0", "--drom=no", "--drom --no-drom", "--silent --drmo"};
    size_t i;
    for (i = 0; i < sizeof on / sizeof on[0]; ++i) {
        CHECK(DLB_Init(0, &one, on[i]), DLB_SUCCESS);
        CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
        CHECK(DLB_Finalize(), DLB_SUCCESS);
    }
    for (i = 0; i < sizeof off / sizeof off[0]; ++i) {
        CHECK(DLB_Init(0, &one, off[i]), DLB_SUCCESS);
        CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_NOCOMP);
        CHECK(DLB_Finalize(), DLB_SUCCESS);
    }
    /* The environment wins. */
    setenv("DLB_ARGS", "--no-drom", 1);
    CHECK(DLB_Init(0, &one, "--drom"), DLB_SUCCESS);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_ERR_NOCOMP);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    unsetenv("DLB_ARGS");
}

static void attaching(void) {
    const cpu_set_t one = mask_of(1);
    int pids[4], count = -1, cpus = 0;
    CHECK(DLB_DROM_GetNumCpus(&cpus), DLB_SUCCESS);
    CHECK(cpus >= 2, 1);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    CHECK(DLB_DROM_GetNumCpus(&cpus), DLB_SUCCESS);
    CHECK(cpus >= 2, 1);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(count, 0);
    CHECK(DLB_Init(0, &one, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(count, 1);
    CHECK(pids[0], getpid());
    CHECK(DLB_DROM_GetPidList(pids, &count, 0), DLB_SUCCESS);
    CHECK(count, 0);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
    CHECK(DLB_DROM_Detach(), DLB_ERR_NOSHMEM);
    /* An initialised process may look without being attached. */
    CHECK(DLB_Init(0, &one, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(count, 1);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

/* Makes the kernel answer as on a node with 2,048 possible CPUs, until the process ends: EINVAL for a mask of 1,024. */
static void become_large_node(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])), /* the lower half comes first */
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 2048 / 8, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    cpu_set_t mask;
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
    CHECK(sched_getaffinity(0, sizeof mask, &mask), -1);
}

/* Registers a process that named no mask: it took part without any CPU. */
static void register_on_large_node(void) {
    cpu_set_t mask = mask_of(3);
    CHECK(sched_setaffinity(0, sizeof mask, &mask), 0);
    become_large_node();
    CHECK(DLB_Init(0, NULL, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK_MASK(mask, 3);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

static void large_node(void) {
    const Child child = start(register_on_large_node);
    CHECK(ended(&child), 0);
}

static void again_and_again(void) {
    const cpu_set_t one = mask_of(1), both = mask_of(3);
    int i;
    for (i = 0; i < 200; ++i) {
        CHECK(DLB_Init(0, i % 2 ? &one : &both, "--drom"), DLB_SUCCESS);
        CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
        CHECK(DLB_DROM_SetProcessMask(0, &one, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
        CHECK(DLB_Finalize(), DLB_SUCCESS);
    }
}

int main(void) {
    check_begin();
    before_init();
    versions();
    own_mask();
    callbacks();
    enabling();
    options();
    attaching();
    large_node();
    again_and_again();
    printf("one process: all as in DLB\n");
    return 0;
}
