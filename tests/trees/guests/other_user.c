// SPDX-License-Identifier: BSD-3-Clause
// other_user.c - set-uid root: becomes root altogether, as sudo does, and sleeps.
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
    if (setresuid(0, 0, 0) != 0) return 1;
    sleep(600);
    return 0;
}
