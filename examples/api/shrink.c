/* SPDX-License-Identifier: BSD-3-Clause
 * shrink.c - an administrator that shrinks a client, and waits until its CPUs are free and its threads are fewer.
 *
 *   shrink NAME CPUS
 */
#include <drom/drom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxClients = 1024 };

static int refused(const drom_error* error) {
    fprintf(stderr, "%s\n", error->text);
    return 1;
}

/* Returns the pid of the first client with this name, or 0. */
static int32_t find_client(drom_table* table, const char* name, drom_error* error) {
    static drom_client_info clients[kMaxClients];
    size_t n = kMaxClients;
    clients[0].size = sizeof clients[0];
    if (drom_clients(table, clients, &n, error) < 0) return 0;
    for (size_t i = 0; i < n; ++i)
        if (strcmp(clients[i].name, name) == 0) return clients[i].pid;
    snprintf(error->text, sizeof error->text, "shrink: there is no client %s", name);
    return 0;
}

static int shrink(drom_table* table, const char* name, uint32_t cpus) {
    drom_error error;
    const drom_options options = {.size = sizeof options, .flags = DROM_WAIT_RESIZED, .timeout_ms = 10000};
    const int32_t pid = find_client(table, name, &error);
    if (pid == 0) return refused(&error);
    const int status = drom_shrink(table, pid, cpus, &options, &error);
    if (status < 0) return refused(&error);
    if (status == DROM_PENDING) {
        printf("shrink: posted, and not done within ten seconds: %s\n", error.text);
        return 3;
    }
    printf("shrink: %s has left all CPUs but %u\n", name, (unsigned)cpus);
    return 0;
}

int main(int argc, char** argv) {
    drom_error error;
    drom_table* table = NULL;
    if (argc != 3) {
        fprintf(stderr, "shrink NAME CPUS\n");
        return 2;
    }
    if (drom_open(&table, NULL, NULL, &error) < 0) return refused(&error);
    const int status = shrink(table, argv[1], (uint32_t)atoi(argv[2]));
    drom_close(table);
    return status;
}
