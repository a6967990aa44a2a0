// SPDX-License-Identifier: BSD-3-Clause
// removed.hpp - a table that was removed while processes use it must not be made again beside them: CPUs would have two
// owners.
#pragma once

#include <cstdint>

namespace drom {

/// Returns the pid of another process that still uses a removed table of this path; 0: none that this user may look at.
/// Reads the mappings of every process of this user (of all users, for root). That takes milliseconds, but only before
/// a table is made. A process of another pid namespace is not seen.
uint32_t user_of_removed(const char* path) noexcept;

}  // namespace drom
