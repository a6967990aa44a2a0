/* SPDX-License-Identifier: BSD-3-Clause
 * bind.c - counts the CPUs of the machine by trying to run on each, as programs do, and passes masks that cannot be
 * read.
 *
 *   bind */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void* nothing(void* unused) { return unused; }

/* Returns the code of creating a thread on one CPU. */
static int created_on(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    pthread_t thread;
    const int code = pthread_create(&thread, &attributes, nothing, NULL);
    if (code == 0) pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return code;
}

int main(void) {
    int by_call = 0;
    int by_number = 0;
    int by_thread = 0;
    int by_creation = 0;
    for (int cpu = 0; cpu < 512; ++cpu) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        by_call += sched_setaffinity(0, sizeof one, &one) == 0;
        by_number += syscall(SYS_sched_setaffinity, 0, sizeof one, &one) == 0;
        by_thread += pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
        by_creation += created_on(cpu) == 0;
    }
    printf("CPUs: %d %d %d %d\n", by_call, by_number, by_thread, by_creation);
    const long page = sysconf(_SC_PAGESIZE);
    char* last = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(last + page, page);
    last[page - 8] = 1;
    const char* const masks[] = {(const char*)1, last + page - 8, last + page};
    for (int i = 0; i < 3; ++i)
        for (size_t size = 8; size <= 1024; size *= 8) {
            errno = 0;
            const int called = sched_setaffinity(0, size, (const cpu_set_t*)masks[i]);
            printf("%d %zu: %d %d", i, size, called, errno);
            errno = 0;
            const long numbered = syscall(SYS_sched_setaffinity, 0, size, masks[i]);
            printf(", %ld %d\n", numbered, errno);
        }
    return 0;
}
