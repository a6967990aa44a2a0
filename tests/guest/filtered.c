// SPDX-License-Identifier: BSD-3-Clause
// filtered.c - a program that forbids itself the start of threads once it has its own, as a sandbox does. The C library
// ends a process when a new thread cannot register for restartable sequences.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int threads_of_region(void) {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads += 1;
    return threads;
}

static int forbid(unsigned call) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {4, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

int main(void) {
    int threads = threads_of_region();
    if (forbid(SYS_rseq) != 0) return 1;
    for (int i = 0; i < 100; ++i) {
        threads += threads_of_region();
        usleep(1000);
    }
    printf("%d\n", threads);
    return 0;
}
