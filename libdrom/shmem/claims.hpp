// SPDX-License-Identifier: BSD-3-Clause
// claims.hpp - which processes carry a reservation in their environment (DROM_SLOT, DROM_TABLE).
//
// Processes whose parents and whose launcher have ended have nothing else in common. A process keeps the variables that
// it was started with, whatever it does to its environment later, and so do those that it forks. One that is started by
// env -i has none.
#pragma once

#include <cstdint>

namespace drom {

struct Claim {
    const char* table;
    uint32_t slot, generation;
    uint32_t uid;  ///< of its processes: of others none can claim anything
};

/// About 5 us; 30 us for a process of that user.
bool carries(uint32_t pid, const Claim& claim) noexcept;

/// The same for a process of a pid namespace below this one, where users and paths may be called otherwise: true unless
/// it is known that it carries nothing, or another table's.
bool may_carry(uint32_t pid, const Claim& claim) noexcept;

}  // namespace drom
