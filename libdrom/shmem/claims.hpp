// SPDX-License-Identifier: BSD-3-Clause
// claims.hpp - which processes carry a reservation in their environment (DROM_SLOT, DROM_TABLE).
//
// Processes whose parents and launcher have ended have nothing else in common. A process keeps the variables that it
// was started with, whatever it does to its environment later, and so do the processes that it forks. A process started
// by env -i has none.
#pragma once

#include <cstdint>

namespace drom {

struct Claim {
    const char* table;
    uint32_t slot, generation;
    uint32_t uid;  ///< of the client's processes; no process of another user carries the claim
};

/// Returns whether the process carries the claim. About 5 us; 30 us for a process of that user.
bool carries(uint32_t pid, const Claim& claim) noexcept;

/// Answers the same for a process of a pid namespace below this one, where users and paths may have other names.
/// Returns true unless the process is known to carry nothing, or a claim on another table.
bool may_carry(uint32_t pid, const Claim& claim) noexcept;

}  // namespace drom
