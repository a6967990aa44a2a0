// SPDX-License-Identifier: BSD-3-Clause
// objects.hpp - the program and its libraries: which of them an address belongs to, and which contract that is.
#pragma once

#include <atomic>
#include <cstdint>

#include "contract.hpp"

namespace drom {

/// One loaded object.
struct Object {
    uintptr_t base;       ///< load address; 0 when nothing was found
    uintptr_t low, high;  ///< its segments lie in [low, high)
    bool has_tls;         ///< it has thread-local data
    bool needs_openmp;    ///< it is linked to an OpenMP runtime
    bool asks_each_time;  ///< a library that is known to ask whenever it needs its thread count, and to keep nothing
    uintptr_t unwinding;  ///< its .eh_frame_hdr; 0: none
    [[nodiscard]] bool holds(const void* address) const noexcept {
        const auto at = reinterpret_cast<uintptr_t>(address);
        return at >= low && at < high;
    }
};

/// Takes the loader's lock for some microseconds: for addresses that are seen for the first time.
Object object_of(const void* address) noexcept;

/// The writable segments of the object at `base`, for `visit(first, words)` until it returns false.
using VisitWords = bool (*)(std::atomic<uint64_t>* first, uint64_t words, void* arg);
void each_writable_segment(uintptr_t base, VisitWords visit, void* arg) noexcept;

/// True when a library is loaded under this file name.
bool is_loaded(const char* file_name) noexcept;

/// Numbers the objects that ask or open regions. One thread.
class Parties {
public:
    /// `fresh` is set when `address` is of an object that was not seen before.
    contract::Party of(const void* address, Object& fresh) noexcept;

private:
    struct Range {
        uintptr_t low, high;
    };
    Range ranges_[contract::kParties] = {};
    uint32_t count_ = 0;
};

}  // namespace drom
