// SPDX-License-Identifier: BSD-3-Clause
// primary.hpp - which thread is the primary one: the thread whose team is resized.
#pragma once

#include <cstdint>

namespace drom::safe_point {

/// Returns whether the calling thread is the primary one, or becomes it. `function` belongs to the runtime, and
/// `entry_point` is the entry point by which the thread came.
bool claim(const void* function, uint32_t entry_point) noexcept;

}  // namespace drom::safe_point
