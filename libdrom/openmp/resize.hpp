// SPDX-License-Identifier: BSD-3-Clause
// resize.hpp - how many threads a starting region has, and the acknowledgement of that.
#pragma once

#include <cstdint>

namespace drom::safe_point {

/// Returns the number of threads of the starting region, as a clause would; 0: the runtime's own number.
uint32_t decide(uint32_t clause, const void* caller) noexcept;

}  // namespace drom::safe_point
