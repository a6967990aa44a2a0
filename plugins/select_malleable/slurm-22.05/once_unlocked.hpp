// SPDX-License-Identifier: GPL-2.0-or-later
// once_unlocked.hpp - what can be done only after slurmctld has finished what it is doing.
#pragma once

namespace drom::slurm {

/// Calls `body` from a thread of its own, which then holds slurmctld's lock on jobs for writing: not before whoever holds it now has released
/// it. Calls made meanwhile become one. Not while slurmctld ends. `body` must throw nothing. Always the same `body`.
void once_unlocked(void (*body)());

}  // namespace drom::slurm
