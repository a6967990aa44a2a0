// SPDX-License-Identifier: BSD-3-Clause
// invariants.hpp - every fact that must hold at every instant, wherever any process was killed.
#pragma once

#include "drom/drom.h"
#include "segment.hpp"

namespace drom {

/// Returns DROM_OK, or DROM_E_CORRUPT with the first fact that does not hold. One pass; changes nothing.
int check_invariants(const Ledger& ledger, drom_error* error) noexcept;

}  // namespace drom
