// SPDX-License-Identifier: BSD-3-Clause
// reservations.hpp - CPUs for a process that has not joined yet, and from one that has ended.
#pragma once

#include "table.hpp"

namespace drom {

/// Reserves CPUs for a process, and adds to `environment` what its program needs to join there; null: nothing.
int reserve(Table& table, uint32_t pid, const CpuSet& mask, const Options& options, char*** environment,
            drom_error* error) noexcept;
/// Frees the CPUs of a client that has ended, or of a reservation whose process never joined.
int release(Table& table, uint32_t pid, const Options& options, drom_error* error) noexcept;

}  // namespace drom
