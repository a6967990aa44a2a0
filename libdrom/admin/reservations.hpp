// SPDX-License-Identifier: BSD-3-Clause
// reservations.hpp - CPUs for a process that has not joined yet, and from one that has ended.
#pragma once

#include "table.hpp"

namespace drom {

int reserve(Table& table, uint32_t pid, const CpuSet& mask, const Options& options, char*** environment,
            drom_error* error) noexcept;
int release(Table& table, uint32_t pid, const Options& options, drom_error* error) noexcept;

}  // namespace drom
