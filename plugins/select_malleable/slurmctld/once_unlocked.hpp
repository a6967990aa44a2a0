// SPDX-License-Identifier: GPL-2.0-or-later
// once_unlocked.hpp - work that has to wait until slurmctld has released its locks.
#pragma once

namespace drom::slurm {

/// Calls `body` from a thread of its own, which then holds slurmctld's lock on jobs for writing. It waits until the
/// caller has released that lock. Calls made meanwhile become one. Not while slurmctld ends. `body` must throw nothing.
/// Always the same `body`.
void once_unlocked(void (*body)());

/// Calls `body` in the same way after so many seconds. Calls that would come later are dropped.
void in_a_while(int seconds, void (*body)());

/// Calls `body` with slurmctld's lock on jobs if slurmctld is a backup controller and about to give control back. The
/// caller holds none of its locks.
void if_control_goes(void (*body)());

}  // namespace drom::slurm
