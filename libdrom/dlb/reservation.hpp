// SPDX-License-Identifier: BSD-3-Clause
// reservation.hpp - how a process comes to its CPUs: what was reserved for it, what it asks for, or both.
#pragma once

#include "drom/dlb_drom.h"
#include "mask.hpp"
#include "options.hpp"
#include "tables.hpp"

namespace drom::dlb {

/// DLB_Init: this process joins. `mask` may be NULL. `reserved`: it took over a slot that PreInit had made.
int enter(const Tables& tables, const Options& options, const Mask* mask, bool& reserved, drom_error* error) noexcept;

/// DLB_DROM_PreInit. Nothing is reserved, and nobody told, when it fails.
int reserve(const Tables& tables, int pid, const Mask& mask, int flags, char*** next_environ,
            drom_error* error) noexcept;

/// DLB_PreInit, and DLB_Finalize after it.
int reserve_for_self(const Options& options, const Mask& mask, char*** next_environ, drom_error* error) noexcept;
int give_up_reservation() noexcept;

}  // namespace drom::dlb
