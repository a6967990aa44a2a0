/* SPDX-License-Identifier: BSD-3-Clause
 * layout.c - sizes and offsets of everything public, pinned. Compiles as C99 and as C++11; a change here is a change of
 * the ABI. */
#include <drom/drom.h>
#include <stddef.h>
#include <stdio.h>

#define PIN(name, condition) typedef char pin_##name[(condition) ? 1 : -1]

PIN(error, sizeof(drom_error) == 256 && offsetof(drom_error, text) == 4);
PIN(options,
    sizeof(drom_options) == 88 && offsetof(drom_options, flags) == 8 && offsetof(drom_options, timeout_ms) == 16);
PIN(options_text, offsetof(drom_options, name) == 24 && offsetof(drom_options, job) == 32);
PIN(options_numbers, offsetof(drom_options, min_cpus) == 40 && offsetof(drom_options, clients) == 52);
PIN(options_reserved, offsetof(drom_options, reserved) == 56);
PIN(info, sizeof(drom_client_info) == 328);
PIN(info_pid, offsetof(drom_client_info, pid) == 8 && offsetof(drom_client_info, slot) == 12);
PIN(info_seq, offsetof(drom_client_info, request_seq) == 16 && offsetof(drom_client_info, confined_seq) == 40);
PIN(info_state, offsetof(drom_client_info, generation) == 48 && offsetof(drom_client_info, state) == 52);
PIN(info_cpus, offsetof(drom_client_info, owned_cpus) == 64 && offsetof(drom_client_info, max_cpus) == 76);
PIN(info_times, offsetof(drom_client_info, posted_ns) == 112);
PIN(info_name, offsetof(drom_client_info, name) == 168 && offsetof(drom_client_info, why) == 232);
PIN(location, sizeof(drom_location) == 8 && offsetof(drom_location, package) == 6);
PIN(event, sizeof(drom_event) == 48 && offsetof(drom_event, type) == 24 && offsetof(drom_event, pid) == 40);
PIN(region, sizeof(drom_region_info) == 176 && offsetof(drom_region_info, elapsed_ns) == 16);
PIN(region_text, offsetof(drom_region_info, open) == 40 && offsetof(drom_region_info, name) == 48);
PIN(region_states, DROM_REGION_FINE == 0 && DROM_REGION_BUSY == 1 && DROM_REGION_DAMAGED == 2);
PIN(statuses, DROM_UNCHANGED == 2 && DROM_PENDING == 1 && DROM_OK == 0 && DROM_E_INVAL == -1 && DROM_E_NOINIT == -12);
PIN(flags, DROM_WAIT_RELEASED == 1 && DROM_TAKE == 8 && DROM_CREATE == 64 && DROM_RIGID == 512 && DROM_NODE == 1024);
PIN(flags_of_set, DROM_ADD == 2048 && DROM_REMOVE == 4096 && DROM_VIRTUAL == 8192 && DROM_TREE == 16384);
PIN(entry_points, DROM_ENTRY_KMP == 2 && DROM_ENTRY_MPI == 64);
PIN(events, DROM_EVENT_JOIN == 1 && DROM_EVENT_CANCEL == 12 && DROM_EVENT_KEPT == 13);

int main(void) {
    printf("abi: drom_options %zu, drom_client_info %zu, drom_event %zu bytes\n", sizeof(drom_options),
           sizeof(drom_client_info), sizeof(drom_event));
    return drom_status_name(DROM_OK)[0] == 'D' ? 0 : 1;
}
