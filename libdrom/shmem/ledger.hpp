// SPDX-License-Identifier: BSD-3-Clause
// ledger.hpp - the owner and home words: every change that they may undergo, and which CPUs a client has by them.
//
// No other code composes these words; the lint sees to that. An owner word changes by change_owner() alone: one
// compare-and-swap from the word that the new one was made of. A home word is stored; it says where a CPU goes back to,
// and may be out of date.
#pragma once

#include "segment.hpp"

namespace drom {

// --- owner words: one CPU's next word, made of its present one. Pure. ----------------------------------------------

/// What an owner word says of the CPU itself, whoever owns it.
inline constexpr uint64_t kPermanent = Owner::kDrained | Owner::kAbsent | Owner::kOffline;

/// `to` owns the CPU from now on; nobody: it is free. The previous owner has released it, is dead, or never used it.
constexpr Owner given(Owner word, Owner::Name to) noexcept {
    return word.with(to, Owner::nobody(), word.flags() & kPermanent);
}

/// The owner is to leave the CPU, and `next` gets it then; nobody: it becomes free. `fast`: `next` may use it at once.
/// An owner that was told to leave is not told again: only the next owner changes.
constexpr Owner offered(Owner word, Owner::Name next, bool fast = false) noexcept {
    const uint64_t told = word.is(Owner::kLeaving) ? word.flags() & Owner::kTold : 0;
    return word.with(word.owner(), next,
                     (word.flags() & kPermanent) | Owner::kLeaving | told | (fast ? Owner::kFast : 0));
}

/// The offer is withdrawn: the owner keeps the CPU.
constexpr Owner kept(Owner word) noexcept { return given(word, word.owner()); }

/// A request without the CPU has been posted to the owner, which is leaving it.
constexpr Owner told(Owner word) noexcept { return word.with(word.owner(), word.heir(), word.flags() | Owner::kTold); }

/// The CPU is out of use: at once when no living client is `owned`, else as soon as the owner has left it.
constexpr Owner drained(Owner word, bool owned) noexcept {
    if (!owned) return word.with(Owner::nobody(), Owner::nobody(), word.flags() | Owner::kDrained);
    return word.with(word.owner(), Owner::nobody(), (word.flags() & kPermanent) | Owner::kLeaving | Owner::kDrained);
}

/// A drained CPU is in use again. It belongs to `home`, or is offered to it while another client has not left it.
constexpr Owner restored(Owner word, Owner::Name home) noexcept {
    const uint64_t flags = word.flags() & (kPermanent & ~Owner::kDrained);
    const bool left = word.owner() == Owner::nobody() || word.owner() == home;
    return left ? word.with(home, Owner::nobody(), flags) : word.with(word.owner(), home, flags | Owner::kLeaving);
}

/// The kernel has the CPU online, or has not.
constexpr Owner online(Owner word, bool yes) noexcept {
    return word.with(word.owner(), word.heir(), yes ? word.flags() & ~Owner::kOffline : word.flags() | Owner::kOffline);
}

// --- in the table --------------------------------------------------------------------------------------------------

/// Writes a CPU's first word into a table that no other process has seen: free, with the permanent `flags` of the
/// machine.
void begin_owner(const Ledger& ledger, uint32_t cpu, uint64_t flags) noexcept;

Owner load_owner(const Ledger& ledger, uint32_t cpu) noexcept;

/// Changes one owner word from the one that `to` was made of. Returns false when it has changed meanwhile.
bool change_owner(const Ledger& ledger, uint32_t cpu, Owner from, Owner to) noexcept;

/// Returns whether a living client owns the CPU.
bool is_owned(const Ledger& ledger, Owner word) noexcept;
/// Returns the client that has the CPU once every offer is carried out: nobody when that client is dead.
Owner::Name prospective_owner(const Ledger& ledger, Owner word) noexcept;

// --- home words: {remembered:1, slot + 1:31, generation:32}; 0: no home --------------------------------------------

/// Returns the lender: the client that a CPU goes back to by itself. Nobody when that client has ended.
Owner::Name home_owner(const Ledger& ledger, uint32_t cpu) noexcept;
/// Returns the client that the CPU was taken from, where it does not go back by itself: what DLB calls stolen.
Owner::Name remembered_owner(const Ledger& ledger, uint32_t cpu) noexcept;
/// Returns whether a home is written, be its client dead or not.
bool has_home(const Ledger& ledger, uint32_t cpu) noexcept;

/// The home word of a CPU that the slot's present client lends.
uint64_t home_of(const Ledger& ledger, uint32_t slot) noexcept;
/// The home word of a CPU that is taken from the slot's present client for good.
uint64_t remembered_home_of(const Ledger& ledger, uint32_t slot) noexcept;
/// What change_home() clears a home by, where 0 leaves the home as it is.
inline constexpr uint64_t kNoHome = 1;
void change_home(const Ledger& ledger, uint32_t cpu, uint64_t home) noexcept;

// --- sets: one pass over the owner words, about 1 ns each ----------------------------------------------------------

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

}  // namespace drom
