// SPDX-License-Identifier: BSD-3-Clause
// reservation.hpp - how a process gets its CPUs: from a reservation, by asking, or both.
#pragma once

#include "drom/dlb_drom.h"
#include "mask.hpp"
#include "options.hpp"
#include "tables.hpp"

namespace drom::dlb {

/// Implements DLB_Init: this process joins. `mask` may be NULL. `reserved`: set when it took over a slot that PreInit
/// had made.
int enter(const Tables& tables, const Options& options, const CpuSet* mask, bool& reserved, drom_error* error) noexcept;

/// Implements DLB_DROM_PreInit. A failure reserves nothing, and tells no process.
int reserve(const Tables& tables, int pid, const CpuSet& mask, int flags, char*** next_environ,
            drom_error* error) noexcept;

/// Implements DLB_PreInit, and DLB_Finalize after it.
int reserve_for_self(const Options& options, const CpuSet& mask, char*** next_environ, drom_error* error) noexcept;
int give_up_reservation() noexcept;

}  // namespace drom::dlb
