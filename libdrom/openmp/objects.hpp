// SPDX-License-Identifier: BSD-3-Clause
// objects.hpp - the program and its libraries: the object of an address, and the symbols to which that object is bound.
#pragma once

#include <atomic>
#include <cstdint>

namespace drom {

/// One loaded object.
struct Object {
    uintptr_t base;       ///< load address; 0 when nothing was found
    uintptr_t low, high;  ///< its segments lie in [low, high)
    [[nodiscard]] bool holds(const void* address) const noexcept {
        const auto at = reinterpret_cast<uintptr_t>(address);
        return at >= low && at < high;
    }
};

/// Returns the object that holds an address. Takes the loader's lock for some microseconds: only for addresses that are
/// seen for the first time.
Object object_of(const void* address) noexcept;

/// Returns whether the object that holds `address` defines `symbol` itself; true also when that is not known. Takes the
/// loader's lock for some microseconds.
bool may_define(const void* address, const char* symbol) noexcept;

/// Returns the symbol version by which the object that holds `address` asks for `symbol`; null: any version, or not at
/// all.
const char* needed_version(const void* address, const char* symbol) noexcept;

}  // namespace drom
