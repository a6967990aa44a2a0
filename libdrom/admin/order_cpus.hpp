// SPDX-License-Identifier: BSD-3-Clause
// order_cpus.hpp - an order about one client, and the CPUs that it means on the words as they are now.
#pragma once

#include "drom/drom.h"
#include "shmem/intent.hpp"

namespace drom {

/// A call of an administrator about one client, as it was given. Its CPUs are chosen on the words of which the plan is
/// made, and again when those have changed before the plan was carried out.
struct Order {
    enum Kind : uint8_t { kSet, kAdd, kRemove, kShrink, kExpand } kind;
    const CpuSet& mask;  ///< kSet, kAdd, kRemove; lives as long as the call
    uint32_t to = 0;     ///< kShrink, kExpand
};

/// Turns an order into the kind and the mask of an intent. `again`: this call may have done part of it already, which
/// is no reason to refuse.
int resolve_order(const Ledger& ledger, const Order& order, bool again, Intent& what, const char* verb,
                  drom_error* error) noexcept;

/// Finds CPUs that may be taken from other clients: not rigid, not below their min. At most `count`, near `base`, by
/// the rules of `choose` (partition/choice.hpp). Returns false when there is no memory to work in.
bool choose_taken(const Ledger& ledger, Owner::Name client, const CpuSet& base, uint32_t count, CpuSet& taken) noexcept;

/// Returns DROM_OK, or says why the client cannot have `mask`: it is rigid, or `mask` is beyond its min or max.
int check_limits(const Ledger& ledger, uint32_t slot, const CpuSet& mask, const char* verb, drom_error* error) noexcept;

}  // namespace drom
