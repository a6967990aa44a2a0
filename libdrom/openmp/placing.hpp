// SPDX-License-Identifier: BSD-3-Clause
// placing.hpp - when a starting region puts its threads on the CPUs of the adopted request.
#pragma once

#include <cstdint>

namespace drom::safe_point {

/// Returns whether a region of `size` threads has to place them.
bool is_placing_due(uint32_t size) noexcept;

/// Decides the placement when it is due; then the team runs through the thunk.
bool place(uint32_t size) noexcept;

/// Prepares a change of the team's size: new threads inherit the affinity of the thread that creates them.
void prepare_for(uint32_t size) noexcept;

}  // namespace drom::safe_point
