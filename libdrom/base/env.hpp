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

/// Returns the variables of env.def.
const Variable* table(size_t& count) noexcept;

/// Returns the variable's text; nullptr when unset, empty, or hidden from a set-uid host.
const char* text(const char* name) noexcept;

/// Returns a non-negative number; `fallback` when unset or not a number.
long number(const char* name, long fallback) noexcept;

/// Returns a number of milliseconds, at most 49 days; `fallback` as number() does.
uint32_t milliseconds(const char* name, uint32_t fallback) noexcept;

/// Returns 0/1/yes/no/true/false/on/off as a flag; `fallback` otherwise.
bool flag(const char* name, bool fallback) noexcept;

/// The value of "never" in DROM_GRACE_MS, which is in milliseconds.
inline constexpr uint32_t kGraceNever = UINT32_MAX;
uint32_t grace_ms() noexcept;

/// Returns whether the variable has an impossible value. `out` then says so in one sentence, without a dot.
bool wrong_value(const char* name, char* out, size_t size) noexcept;

}  // namespace drom::env
