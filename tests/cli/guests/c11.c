// SPDX-License-Identifier: BSD-3-Clause
// c11.c - two threads of C11 that do nothing until they are told to end (SIGTERM).
#include <signal.h>
#include <stddef.h>
#include <threads.h>
#include <unistd.h>

static volatile sig_atomic_t over;
static void end(int signal_number) { over = signal_number; }

static int wait_for_end(void* unused) {
    (void)unused;
    while (!over) usleep(1000);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    signal(SIGTERM, end);
    for (int i = 0; i < 2; ++i)
        if (thrd_create(&threads[i], wait_for_end, NULL) != thrd_success) return 1;
    for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
    return 0;
}
