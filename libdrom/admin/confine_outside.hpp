// SPDX-License-Identifier: BSD-3-Clause
// confine_outside.hpp - an administrator moves the threads of a client that does not do it by itself.
#pragma once

#include "table.hpp"

namespace drom {

/// Sets the affinity of the client's threads from outside. Returns false when that is not possible by `deadline_ns`:
/// then only the client itself can release.
bool confine_client(Table& table, uint32_t slot, uint64_t deadline_ns) noexcept;

/// Confines the client to its newest request again. A process that has not joined may have set an affinity with other
/// CPUs since.
bool confine_again(Table& table, const User& user, uint64_t deadline_ns) noexcept;

/// Moves clients without an agent onto CPUs that they got back, because no other process does. Only clients that were
/// moved off CPUs before. Other reservations, such as one whose program has not started, do not concern a client that
/// leaves.
void move_agentless(Table& table) noexcept;

}  // namespace drom
