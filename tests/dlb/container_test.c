/* SPDX-License-Identifier: BSD-3-Clause
 * container_test.c - processes that count their pids anew: they are not taken for dead, or for one another. */
#include "check.h"

#include <fcntl.h>
#include <sys/prctl.h>

static void write_to(const char* path, const char* text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    CHECK(file >= 0, 1);
    CHECK(write(file, text, strlen(text)), (long)strlen(text));
    close(file);
}

/* Maps user and group to the same numbers inside as outside. */
static int make_user_namespace(void) {
    const uid_t uid = geteuid();
    const gid_t gid = getegid();
    char map[64];
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) return 0;
    write_to("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    write_to("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    write_to("/proc/self/gid_map", map);
    return 1;
}

static void (*in_container)(void);

/* Runs as the first process of a pid namespace: with the right of root, or in a user's namespace. 77: neither is
 * allowed. */
static void contained(void) {
    pid_t inside;
    int status = 0;
    if (unshare(CLONE_NEWPID) != 0 && !make_user_namespace()) _exit(77);
    inside = fork();
    CHECK(inside >= 0, 1);
    if (inside == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* its parent's alarm does not end the first process of a namespace */
        CHECK(getpid(), 1);
        in_container();
        _exit(EXIT_SUCCESS);
    }
    close(child_in), close(child_out);
    CHECK(waitpid(inside, &status, 0), inside);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

static Child start_contained(void (*body)(void)) {
    in_container = body;
    return start(contained);
}

static void nothing(void) {}

static void check_containers(void) {
    const Child child = start_contained(nothing);
    const int status = ended(&child);
    if (status == 77) {
        printf("SKIPPED: needs the right to make a pid namespace: root with CAP_SYS_ADMIN, or user namespaces\n");
        exit(77);
    }
    CHECK(status, 0);
}

/* Looks from another pid namespace, in which every process looked dead, and was evicted. */
static void look_from_inside(void) {
    const cpu_set_t second = mask_of(2);
    cpu_set_t mask;
    CHECK(DLB_Init(0, &second, "--drom"), DLB_SUCCESS);
    CHECK(DLB_DROM_GetProcessMask(0, &mask, DLB_DROM_FLAGS_NONE), DLB_SUCCESS);
    CHECK(DLB_DROM_RecoverStolenCpus(getpid()), DLB_NOUPDT);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

static void living_outside(void) {
    const cpu_set_t first = mask_of(1);
    Child child;
    CHECK(DLB_Init(0, &first, "--drom"), DLB_SUCCESS);
    child = start_contained(look_from_inside);
    CHECK(ended(&child), 0);
    CHECK(mask_of_pid(getpid()), 1);
    CHECK(DLB_PollDROM(NULL, NULL), DLB_NOUPDT);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
}

/* Takes part as process 1 of a container. That of a second container was told that process 1 takes part already, and
 * got the mask of the first one's. */
static void contained_poller(void) {
    const cpu_set_t mine = mask_of(child_cpus);
    CHECK(DLB_Init(0, &mine, "--drom"), DLB_SUCCESS);
    CHECK(mask_of_pid(0), child_cpus);
    CHECK(mask_of_pid(getpid()), child_cpus);
    step();
    CHECK(mask_of_pid(getpid()), child_cpus);
    CHECK(DLB_Finalize(), DLB_SUCCESS);
    step();
}

static void two_containers(void) {
    Child children[2];
    int pids[4], count, i;
    CHECK(DLB_DROM_Attach(), DLB_SUCCESS);
    for (i = 0; i < 2; ++i) {
        child_cpus = 1u << i;
        children[i] = start_contained(contained_poller);
        CHECK(await_step(&children[i]), 1);
    }
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(count, 2);
    for (i = 0; i < 2; ++i) next_step(&children[i]);
    for (i = 0; i < 2; ++i) finish(&children[i]);
    CHECK(DLB_DROM_GetPidList(pids, &count, 4), DLB_SUCCESS);
    CHECK(count, 0);
    CHECK(DLB_DROM_Detach(), DLB_SUCCESS);
}

int main(void) {
    check_begin();
    check_containers();
    living_outside();
    two_containers();
    printf("containers: everybody is who it is\n");
    return 0;
}
