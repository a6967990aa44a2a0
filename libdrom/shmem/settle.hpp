// SPDX-License-Identifier: BSD-3-Clause
// settle.hpp - from the owner words to everything else.
//
// The owner words are the only truth. settle() brings the rest in line with them: it hands over what has been released, takes
// away what belongs to the dead, and posts to each client the mask that its words spell. It may be killed anywhere and
// run again by anybody: recovery is nothing but settle().
#pragma once

#include "mailbox.hpp"

namespace drom {

/// CPUs the client may use now: its own and not leaving, or promised to it by a fast hand-over.
CpuSet usable_cpus(const Ledger& ledger, Owner::Name who) noexcept;
/// CPUs that are the client's until it has released them.
CpuSet owned_cpus(const Ledger& ledger, Owner::Name who) noexcept;
/// CPUs the client has once everything offered has been handed over.
CpuSet wanted_cpus(const Ledger& ledger, Owner::Name who) noexcept;

/// CPUs that the machine has and that are online.
CpuSet cpus_of_node(const Ledger& ledger) noexcept;
/// CPUs that no client owns and that may be given.
CpuSet free_cpus(const Ledger& ledger) noexcept;

/// Changes one owner word from what was planned on. False when it has changed meanwhile.
bool change_owner(const Ledger& ledger, uint32_t cpu, Owner from, Owner to) noexcept;

/// Returns true when anything was changed. `touched`: clients to post to besides those found on the way.
/// Cost: one pass over the owner words (1 ns each) plus about 100 ns a request posted.
bool settle(const Ledger& ledger, Pages& pages, SlotSet touched) noexcept;
/// The same for every client: after somebody died in the middle.
bool settle_all(const Ledger& ledger, Pages& pages) noexcept;

/// Ends a client: its CPUs go to their heirs and homes, its page is removed, its slot is free. Anybody may finish it.
/// `seen`: the slot's state word when it was judged. False when it has changed since: the slot may have another user by now.
bool retire(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint64_t seen,
            uint32_t event) noexcept;
/// The same for a user that is known by its generation, whatever its phase.
void retire_user(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint32_t generation,
                 uint32_t event) noexcept;
/// The same of a reservation, unless its process has joined it meanwhile: then false, and it stays.
bool call_off(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint32_t generation) noexcept;

/// Retires every client that is abandoned, and slots whose claimer died while filling them. Returns how many.
uint32_t reap(const Ledger& ledger, Pages& pages, const char* path) noexcept;

}  // namespace drom
