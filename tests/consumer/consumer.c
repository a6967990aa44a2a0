/* SPDX-License-Identifier: BSD-3-Clause
 * consumer.c - a program of another project: it joins, looks, polls, leaves, and looks again as an administrator. */
#include <drom/drom.h>
#include <stdio.h>
#include <unistd.h>

static int failed(const char* what, int status, const drom_error* error) {
    fprintf(stderr, "consumer: %s: %s: %s\n", what, drom_status_name(status), error->text);
    return 1;
}

static int look(void) {
    drom_error error;
    drom_table* table = NULL;
    drom_client_info info = {0};
    size_t clients = 1;
    int status = drom_open(&table, NULL, NULL, &error);
    if (status < 0) return failed("drom_open", status, &error);
    info.size = sizeof info;
    status = drom_clients(table, &info, &clients, &error);
    drom_close(table);
    if (status < 0) return failed("drom_clients", status, &error);
    if (clients != 1 || info.pid != (int32_t)getpid()) {
        fprintf(stderr, "consumer: expected to be the only client, saw %zu, first pid %d\n", clients, (int)info.pid);
        return 1;
    }
    printf("one client, pid %d, %u CPUs\n", (int)info.pid, (unsigned)info.owned_cpus);
    return 0;
}

int main(void) {
    drom_error error;
    uint64_t mask[64];
    int status = drom_init(NULL, 0, NULL, &error);
    if (status < 0) return failed("drom_init", status, &error);
    status = drom_poll(mask, 64, &error);
    if (status < 0) return failed("drom_poll", status, &error);
    if (look() != 0) return 1;
    status = drom_finalize(&error);
    return status < 0 ? failed("drom_finalize", status, &error) : 0;
}
