/* SPDX-License-Identifier: BSD-3-Clause
 * requests.c - an administrator for the tests: sends random requests to one client until it ends, or a single one.
 *
 *   requests storm TABLE WATCHED SEED CPUS MIN_US MAX_US
 *       sends random masks out of CPUS (a list such as 0,1) to the first client of TABLE while the process WATCHED
 *       lives
 *   requests set TABLE PID CPUS
 *       sends one mask, and waits for the release
 *   requests confine TABLE PID CPUS ALL
 *       reserves ALL for PID, which is no client, then gives it CPUS only
 *
 * storm prints one line of JSON, the others the name of the status. Exit status: 0 done, 1 refused, 2 usage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "drom/drom.h"

enum { kMaxCpus = 64 };

typedef struct Storm {
    drom_table* table;
    int32_t pid;
    uint64_t random;
    uint32_t cpus[kMaxCpus];
    uint32_t ncpus;
    uint64_t next_event;
    unsigned long requests, refused, pending, released, confined, resized, changes;
    uint32_t team;
    uint32_t entry_points, resize;
    char why[96];
    int unexpected;
    char text[252];
} Storm;

static uint64_t next_random(Storm* storm) {
    storm->random ^= storm->random << 13;
    storm->random ^= storm->random >> 7;
    storm->random ^= storm->random << 17;
    return storm->random * 0x2545f4914f6cdd1du >> 11;
}

static void nap_us(uint64_t us) {
    const struct timespec nap = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    nanosleep(&nap, NULL);
}

static uint32_t read_cpus(const char* list, uint32_t* cpus) {
    uint32_t n = 0;
    for (const char* at = list; *at && n < kMaxCpus;) {
        char* end;
        cpus[n++] = (uint32_t)strtoul(at, &end, 10);
        at = *end ? end + 1 : end;
    }
    return n;
}

static uint64_t word_of(const uint32_t* cpus, uint32_t n) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < n; ++i) word |= 1ull << cpus[i];
    return word;
}

/* Finds a live client of the table. False when `watched` ended before one was seen. */
static bool find_client(Storm* storm, const char* where, pid_t watched) {
    while (kill(watched, 0) == 0) {
        if (!storm->table && drom_open(&storm->table, where, NULL, NULL) != DROM_OK) storm->table = NULL;
        drom_client_info client = {.size = sizeof client};
        size_t n = 1;
        if (storm->table && drom_clients(storm->table, &client, &n, NULL) == DROM_OK && n == 1 &&
            client.state == DROM_CLIENT_LIVE) {
            storm->pid = client.pid;
            return true;
        }
        nap_us(500);
    }
    return false;
}

static uint64_t random_mask(Storm* storm) {
    uint64_t word = 0;
    while (!word)
        for (uint32_t i = 0; i < storm->ncpus; ++i)
            if (next_random(storm) & 1) word |= 1ull << storm->cpus[i];
    return word;
}

static int one_request(Storm* storm, drom_error* error) {
    drom_options options = {.size = sizeof options, .timeout_ms = 2000};
    const uint64_t kind = next_random(storm) % 10;
    if (kind >= 6) options.flags = DROM_WAIT_RELEASED;
    if (kind == 8) options.flags |= DROM_NEVER_CONFINE, options.timeout_ms = 50;
    if (kind == 9) options.grace_ms = DROM_GRACE_AT_ONCE;
    ++storm->requests;
    if (kind < 2) {
        const uint32_t to = 1 + (uint32_t)(next_random(storm) % storm->ncpus);
        const int status = drom_shrink(storm->table, storm->pid, to, &options, error);
        return status == DROM_E_INVAL ? drom_expand(storm->table, storm->pid, to, &options, error) : status;
    }
    const uint64_t word = random_mask(storm);
    return drom_set_mask(storm->table, storm->pid, &word, 1, &options, error);
}

static void note(Storm* storm, int status, const drom_error* error) {
    if (status == DROM_PENDING) ++storm->pending;
    if (status >= 0) return;
    ++storm->refused;
    /* Shrink and expand refuse the size that the client has already. Any other refusal is unexpected. */
    if (status == DROM_E_INVAL && strstr(error->text, "mask") == NULL) return;
    storm->unexpected = status;
    memcpy(storm->text, error->text, sizeof storm->text);
}

static void read_events(Storm* storm) {
    drom_event event[256];
    size_t n = 256;
    while (drom_events(storm->table, &storm->next_event, event, &n, 0, NULL) == DROM_OK && n > 0) {
        for (size_t i = 0; i < n; ++i) {
            if (event[i].type == DROM_EVENT_RELEASED) ++storm->released;
            if (event[i].type == DROM_EVENT_CONFINED) ++storm->confined;
            if (event[i].type != DROM_EVENT_RESIZED && event[i].type != DROM_EVENT_KEPT) continue;
            ++storm->resized;
            if (storm->team && event[i].value != storm->team) ++storm->changes;
            storm->team = event[i].value;
        }
        n = 256;
    }
}

static void read_client(Storm* storm) {
    drom_client_info client = {.size = sizeof client};
    size_t n = 1;
    if (drom_clients(storm->table, &client, &n, NULL) != DROM_OK || n != 1) return;
    storm->entry_points = client.entry_points;
    storm->resize = client.resize;
    memcpy(storm->why, client.why, sizeof storm->why);
}

static void print_text(const char* name, const char* text) {
    printf(", \"%s\": \"", name);
    for (; *text; ++text)
        if (*text != '"' && *text != '\\' && (unsigned char)*text >= ' ') putchar(*text);
    printf("\"");
}

static int storm(char** argument) {
    Storm state = {.random = strtoull(argument[2], NULL, 10) * 2 + 1};
    const pid_t watched = (pid_t)atoi(argument[1]);
    state.ncpus = read_cpus(argument[3], state.cpus);
    const uint64_t shortest = strtoull(argument[4], NULL, 10), longest = strtoull(argument[5], NULL, 10);
    for (int i = 0; i < 8; ++i) next_random(&state);
    const bool found = find_client(&state, argument[0], watched);
    while (found) {
        drom_error error = {0};
        const int status = one_request(&state, &error);
        if (status == DROM_E_NOPROC) break;
        note(&state, status, &error);
        read_events(&state);
        if (state.requests % 8 == 1) read_client(&state);
        /* Short gaps are as frequent as long ones: each doubling of the gap is as likely as the next. */
        uint64_t gap = shortest;
        while (gap < longest && next_random(&state) % 6) gap = gap * 2 + next_random(&state) % (gap + 1) / 2;
        nap_us(gap < longest ? gap : longest);
    }
    if (found) read_events(&state);
    printf(
        "{\"found\": %s, \"requests\": %lu, \"refused\": %lu, \"pending\": %lu, \"released\": %lu, \"confined\": %lu, "
        "\"resized\": %lu, \"changes\": %lu, \"entry_points\": %u, \"resize\": %u, \"unexpected\": %d",
        found ? "true" : "false", state.requests, state.refused, state.pending, state.released, state.confined,
        state.resized, state.changes, state.entry_points, state.resize, state.unexpected);
    print_text("why", state.why);
    print_text("text", state.text);
    printf("}\n");
    return 0;
}

static int report(int status, const drom_error* error) {
    printf("%s\n", drom_status_name(status));
    if (error->text[0]) fprintf(stderr, "%s\n", error->text);
    return status == DROM_OK || status == DROM_UNCHANGED ? 0 : 1;
}

static int set(const char* where, const char* pid, const char* list) {
    drom_table* table;
    drom_error error = {0};
    uint32_t cpus[kMaxCpus];
    const uint64_t word = word_of(cpus, read_cpus(list, cpus));
    int status = drom_open(&table, where, NULL, &error);
    if (status != DROM_OK) return report(status, &error);
    const drom_options options = {.size = sizeof options, .flags = DROM_WAIT_RELEASED};
    status = drom_set_mask(table, atoi(pid), &word, 1, &options, &error);
    drom_close(table);
    return report(status, &error);
}

static int confine(const char* where, const char* pid, const char* list, const char* all) {
    drom_table* table;
    drom_error error = {0};
    uint32_t cpus[kMaxCpus];
    const uint64_t whole = word_of(cpus, read_cpus(all, cpus)), word = word_of(cpus, read_cpus(list, cpus));
    const drom_options create = {.size = sizeof create, .flags = DROM_CREATE};
    int status = drom_open(&table, where, &create, &error);
    if (status != DROM_OK) return report(status, &error);
    status = drom_reserve(table, atoi(pid), &whole, 1, NULL, NULL, &error);
    const drom_options wait = {.size = sizeof wait, .flags = DROM_WAIT_RELEASED};
    if (status >= 0) status = drom_set_mask(table, atoi(pid), &word, 1, &wait, &error);
    drom_close(table);
    return report(status, &error);
}

int main(int argc, char** argv) {
    if (argc == 8 && !strcmp(argv[1], "storm")) return storm(argv + 2);
    if (argc == 5 && !strcmp(argv[1], "set")) return set(argv[2], argv[3], argv[4]);
    if (argc == 6 && !strcmp(argv[1], "confine")) return confine(argv[2], argv[3], argv[4], argv[5]);
    fprintf(stderr,
            "requests: storm TABLE PID SEED CPUS MIN_US MAX_US | set TABLE PID CPUS | confine TABLE PID CPUS ALL\n");
    return 2;
}
