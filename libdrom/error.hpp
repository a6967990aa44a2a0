// SPDX-License-Identifier: BSD-3-Clause
// error.hpp - a status and one finished sentence, written where the cause is first known.
#pragma once

#include "drom/drom.h"

namespace drom {

/// Fills `error` (if not null) and returns `status`. No allocation.
[[gnu::format(printf, 3, 4)]] int fail(drom_error* error, int status, const char* format, ...) noexcept;

/// DROM_OK and an empty text.
int succeed(drom_error* error) noexcept;

/// The text of an errno value, without locale, static storage.
const char* errno_text(int number) noexcept;

}  // namespace drom
