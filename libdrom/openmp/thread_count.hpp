// SPDX-License-Identifier: BSD-3-Clause
// thread_count.hpp - the number of threads that OMP_NUM_THREADS asks for. Pure.
#pragma once

#include <climits>
#include <cstdint>
#include <cstdlib>

namespace drom {

/// Returns the first number of OMP_NUM_THREADS, which may be a list ("4,2") and have blanks before it, as OpenMP's
/// runtimes read it. 0: not set (null), no number, or none that a team can have.
inline uint32_t first_thread_count(const char* text) noexcept {
    const long count = text == nullptr ? 0 : strtol(text, nullptr, 10);
    return count <= 0 || count > INT_MAX ? 0 : static_cast<uint32_t>(count);
}

}  // namespace drom
