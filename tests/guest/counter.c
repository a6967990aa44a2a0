/* SPDX-License-Identifier: BSD-3-Clause
 * counter.c - counts allocations and locks of the calling thread between two marks; preloaded before everything
 * else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void __libc_free(void*);

static __thread long allocations __attribute__((tls_model("initial-exec")));
static __thread long locks __attribute__((tls_model("initial-exec")));

void* malloc(size_t n) { return ++allocations, __libc_malloc(n); }
void* calloc(size_t n, size_t size) { return ++allocations, __libc_calloc(n, size); }
void* realloc(void* old, size_t n) { return ++allocations, __libc_realloc(old, n); }
void free(void* old) {
    ++allocations;
    __libc_free(old);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static int (*next)(pthread_mutex_t*);
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    ++locks;
    return next(mutex);
}

__attribute__((visibility("default"))) void counter_mark(const char* what) {
    if (!strcmp(what, "begin")) {
        allocations = locks = 0;
        return;
    }
    const long a = allocations, l = locks;
    printf("allocations %ld, locks %ld\n", a, l);
}
