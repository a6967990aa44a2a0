// SPDX-License-Identifier: BSD-3-Clause
// say.hpp - sentences for people, and what a refusal of drom's is called in DLB.
#pragma once

#include "drom/drom.h"

namespace drom::dlb {

/// One line on stderr, in one write.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

/// The sentence of a refusal that is not drom's own. `error` may be null.
void write_why(drom_error* error, const char* text) noexcept;

/// The DLB_* value for a DROM_* status of a call that asked for CPUs.
int dlb_error(int status) noexcept;

}  // namespace drom::dlb
