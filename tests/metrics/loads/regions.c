/* SPDX-License-Identifier: BSD-3-Clause
 * regions.c - a program that names its parts: "whole" is open to its end, "step" ran three times, and each argument is
 * the name of a region that ran once.
 *
 *   regions FILE [NAME]...     makes FILE when all of this has happened, and sleeps for a minute
 */
#include <drom/drom.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static void wait_ms(long ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void run(const char* name, long ms) {
    drom_region_begin(name);
    wait_ms(ms);
    drom_region_end(name);
}

int main(int argc, char** argv) {
    if (argc < 2 || drom_init(NULL, 0, NULL, NULL) != DROM_OK || drom_region_begin("whole") != DROM_OK) return 1;
    for (int i = 0; i < 3; ++i) run("step", 20);
    for (int i = 2; i < argc; ++i) run(argv[i], 0);
    if (open(argv[1], O_CREAT | O_WRONLY, 0600) < 0) return 2;
    wait_ms(60000);
    return 0;
}
