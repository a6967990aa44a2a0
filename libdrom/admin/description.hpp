// SPDX-License-Identifier: BSD-3-Clause
// description.hpp - what a table says of its clients, CPUs and events, for people and programs.
#pragma once

#include "table.hpp"

namespace drom {

/// Returns the CPUs that the client owns, and those of its newest request.
int get_mask(Table& table, uint32_t pid, CpuSet* owned, CpuSet* wanted, drom_error* error) noexcept;
/// Fills `out` with at most `*n` clients, and `*n` with their number.
int list_clients(Table& table, drom_client_info* out, size_t* n, drom_error* error) noexcept;
/// Fills `out` with at most `*n` pids of the client's descendants, and `*n` with their number.
int list_descendants(const Table& table, uint32_t pid, int32_t* out, size_t* n, drom_error* error) noexcept;
/// Copies events from number `*next` on, after waiting for the first one for `timeout_ms` at most.
int read_events(const Table& table, uint64_t* next, drom_event* out, size_t* n, uint32_t timeout_ms,
                drom_error* error) noexcept;

}  // namespace drom
