// SPDX-License-Identifier: BSD-3-Clause
// env.hpp - the environment, through one table (env.def).
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom::env {

struct Variable {
    const char* name;
    const char* fallback;  ///< as documented; not necessarily a literal value
    bool secure;
    const char* doc;
};

/// The table of env.def.
const Variable* table(size_t& count) noexcept;

/// The variable's text; nullptr when unset, empty, or hidden from a set-uid host.
const char* text(const char* name) noexcept;

/// A non-negative number; `fallback` when unset or not a number.
long number(const char* name, long fallback) noexcept;

/// A number of milliseconds, at most 49 days; `fallback` as number() does.
uint32_t milliseconds(const char* name, uint32_t fallback) noexcept;

/// 0/1/yes/no/true/false/on/off; `fallback` otherwise.
bool flag(const char* name, bool fallback) noexcept;

/// DROM_GRACE_MS: milliseconds, UINT32_MAX for "never".
inline constexpr uint32_t kGraceNever = UINT32_MAX;
uint32_t grace_ms() noexcept;

/// Whether the variable is set to what it cannot be. `out` then says so in one sentence, without a dot.
bool wrong_value(const char* name, char* out, size_t size) noexcept;

/// The first `DROM_*` variable that is not in the table, nullptr if there is none. Returns "NAME=value".
const char* unknown_variable() noexcept;

}  // namespace drom::env
