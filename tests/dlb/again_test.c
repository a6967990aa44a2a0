/* SPDX-License-Identifier: BSD-3-Clause
 * again_test.c - drom.h's own half of what DLB programs do: join, leave and join again, with and without the agent's
 * thread, and after a fork. */
#include "check.h"

#include <drom/drom.h>

static void join_and_leave(const uint64_t* words, uint64_t flags) {
    drom_options options = {0};
    drom_error error;
    uint64_t mask[64];
    options.size = sizeof options;
    options.flags = flags;
    CHECK(drom_init(words, 1, &options, &error), DROM_OK);
    CHECK(drom_init(words, 1, &options, &error), DROM_E_BUSY);
    CHECK(strcmp(error.text, "drom: join: this process has joined a table before"), 0);
    CHECK(drom_poll(mask, 64, &error) >= 0, 1);
    CHECK(drom_finalize(&error), DROM_OK);
    CHECK(drom_finalize(&error), DROM_E_NOINIT);
    CHECK(drom_poll(mask, 64, &error), DROM_E_NOINIT);
}

static void in_a_child(void) {
    const uint64_t second = 2;
    step();
    join_and_leave(&second, 0);
}

static void switched_off(void) {
    const uint64_t first = 1;
    drom_error error;
    setenv("DROM_DISABLE", "1", 1);
    CHECK(drom_init(&first, 1, NULL, &error), DROM_E_NOINIT);
    CHECK(strcmp(error.text, "drom: join: DROM_DISABLE is set"), 0);
    unsetenv("DROM_DISABLE");
}

int main(void) {
    const uint64_t first = 1, both = 3;
    drom_error error;
    Child child;
    int i, before;
    check_begin();
    switched_off();
    join_and_leave(&first, 0); /* opens the descriptors that stay open for good */
    before = check_descriptors();
    for (i = 0; i < 100; ++i) join_and_leave(i % 2 ? &first : &both, 0);
    for (i = 0; i < 20; ++i) join_and_leave(&both, DROM_ASYNC);
    CHECK(check_descriptors(), before);
    CHECK(drom_init(&first, 1, NULL, &error), DROM_OK);
    child = start_to_step(in_a_child);
    finish(&child);
    CHECK(drom_poll(NULL, 0, &error) >= 0, 1);
    CHECK(drom_finalize(&error), DROM_OK);
    printf("joined again and again\n");
    return 0;
}
