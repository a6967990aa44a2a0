// SPDX-License-Identifier: BSD-3-Clause
// say.hpp - sentences for people, and DLB's names for drom's refusals.
#pragma once

#include "drom/drom.h"

namespace drom::dlb {

/// Writes a line to stderr, in one write.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

/// Writes the sentence of a refusal by this library. `error` may be null.
void write_why(drom_error* error, const char* text) noexcept;

/// Returns the DLB_* value for a DROM_* status of a call that asked for CPUs.
int dlb_error(int status) noexcept;

}  // namespace drom::dlb
