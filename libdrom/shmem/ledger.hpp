// SPDX-License-Identifier: BSD-3-Clause
// ledger.hpp - the owner and home words: every change that they may undergo, and which CPUs they give a client.
//
// No other code composes these words; the lint checks that. An owner word changes only in change_owner(): one
// compare-and-swap from the word that the new one was made of. A home word is stored; it names the client to which a
// CPU goes back, and may be out of date.
#pragma once

#include "segment.hpp"

namespace drom {

// --- owner words: one CPU's next word, made of its present one. Pure. ----------------------------------------------

/// The flags of an owner word that concern the CPU itself, independent of its owner.
inline constexpr uint64_t kPermanent = Owner::kDrained | Owner::kAbsent | Owner::kOffline;

/// Makes `to` the owner from now on; no client: the CPU is free. The previous owner has released it, is dead, or never
/// used it.
constexpr Owner given(Owner word, Owner::Name to) noexcept {
    return word.with(to, Owner::none(), word.flags() & kPermanent);
}

/// Offers the CPU: the owner is to leave it, and `next` gets it then; no client: it becomes free. `fast`: `next` may
/// use it at once. An owner that was notified already is not notified again: only the next owner changes.
constexpr Owner offered(Owner word, Owner::Name next, bool fast = false) noexcept {
    const uint64_t notified = word.is(Owner::kOffered) ? word.flags() & Owner::kNotified : 0;
    return word.with(word.owner(), next,
                     (word.flags() & kPermanent) | Owner::kOffered | notified | (fast ? Owner::kFast : 0));
}

/// Withdraws the offer: the owner keeps the CPU.
constexpr Owner kept(Owner word) noexcept { return given(word, word.owner()); }

/// Notes that a request without the CPU has been posted to the owner that is to leave it.
constexpr Owner notified(Owner word) noexcept {
    return word.with(word.owner(), word.next(), word.flags() | Owner::kNotified);
}

/// Takes the CPU out of use: at once when it is not `owned` by a living client, else as soon as the owner has left it.
constexpr Owner drained(Owner word, bool owned) noexcept {
    if (!owned) return word.with(Owner::none(), Owner::none(), word.flags() | Owner::kDrained);
    return word.with(word.owner(), Owner::none(), (word.flags() & kPermanent) | Owner::kOffered | Owner::kDrained);
}

/// Brings a drained CPU back into use. It belongs to `home`, or is offered to it while another client has not left it.
constexpr Owner restored(Owner word, Owner::Name home) noexcept {
    const uint64_t flags = word.flags() & (kPermanent & ~Owner::kDrained);
    const bool left = word.owner() == Owner::none() || word.owner() == home;
    return left ? word.with(home, Owner::none(), flags) : word.with(word.owner(), home, flags | Owner::kOffered);
}

/// Notes whether the kernel has the CPU online.
constexpr Owner online(Owner word, bool yes) noexcept {
    return word.with(word.owner(), word.next(), yes ? word.flags() & ~Owner::kOffline : word.flags() | Owner::kOffline);
}

// --- in the table --------------------------------------------------------------------------------------------------

/// Writes a CPU's first word into a table that no other process has seen: free, with the permanent `flags` of the
/// machine.
void begin_owner(const Ledger& ledger, uint32_t cpu, uint64_t flags) noexcept;

Owner load_owner(const Ledger& ledger, uint32_t cpu) noexcept;

/// Changes one owner word from the word that `to` was made of. Returns false when it has changed meanwhile.
bool change_owner(const Ledger& ledger, uint32_t cpu, Owner from, Owner to) noexcept;

/// Returns whether a living client owns the CPU.
bool is_owned(const Ledger& ledger, Owner word) noexcept;
/// Returns the client that has the CPU once every offer is carried out: none when that client is dead.
Owner::Name prospective_owner(const Ledger& ledger, Owner word) noexcept;

// --- home words: {remembered:1, slot + 1:31, generation:32}; 0: no home --------------------------------------------

/// Returns the client to which the CPU goes back by itself; none when that client has ended.
Owner::Name home_owner(const Ledger& ledger, uint32_t cpu) noexcept;
/// Returns the client that the CPU was taken from, where it does not go back by itself: what DLB calls stolen.
Owner::Name remembered_owner(const Ledger& ledger, uint32_t cpu) noexcept;
/// Returns whether a home is written, whether or not its client lives.
bool has_home(const Ledger& ledger, uint32_t cpu) noexcept;

/// Returns the home word of a CPU that the slot's present client lends.
uint64_t home_of(const Ledger& ledger, uint32_t slot) noexcept;
/// Returns the home word of a CPU that is taken from the slot's present client for good.
uint64_t remembered_home_of(const Ledger& ledger, uint32_t slot) noexcept;
/// The argument by which change_home() clears a home; 0 leaves the home as it is.
inline constexpr uint64_t kNoHome = 1;
void change_home(const Ledger& ledger, uint32_t cpu, uint64_t home) noexcept;

// --- sets: one pass over the owner words, about 1 ns each ----------------------------------------------------------

/// Returns the CPUs that the client may use now: its own that it is not to leave, and those promised to it by a fast
/// hand-over.
CpuSet usable_cpus(const Ledger& ledger, Owner::Name client) noexcept;
/// Returns the CPUs that are the client's until it has released them.
CpuSet owned_cpus(const Ledger& ledger, Owner::Name client) noexcept;
/// Returns the CPUs that the client has once every offer has been carried out.
CpuSet wanted_cpus(const Ledger& ledger, Owner::Name client) noexcept;
/// Returns the CPUs that the machine has and that are online.
CpuSet cpus_of_node(const Ledger& ledger) noexcept;
/// Returns the CPUs that no client owns and that may be given.
CpuSet free_cpus(const Ledger& ledger) noexcept;

struct NodeMasks {
    CpuSet present, unowned, drained;
};
NodeMasks node_masks(const Ledger& ledger) noexcept;

}  // namespace drom
