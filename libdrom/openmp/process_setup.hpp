// SPDX-License-Identifier: BSD-3-Clause
// process_setup.hpp - makes the process a client whose team can be resized.
#pragma once

#include <cstdint>

namespace drom::safe_point {

/// Sets the process up, once, for any primary thread. `function` belongs to the runtime, and `entry_point` is the entry
/// point by which the thread came. Returns false when no thread of this process will ever be primary.
bool set_up_process(const void* function, uint32_t entry_point) noexcept;

}  // namespace drom::safe_point
