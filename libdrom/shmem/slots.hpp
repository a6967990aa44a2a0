// SPDX-License-Identifier: BSD-3-Clause
// slots.hpp - the slots of a table, one per client.
#pragma once

#include "base/process_identity.hpp"
#include "drom/drom.h"
#include "segment.hpp"

namespace drom {

struct SlotState {
    uint64_t phase;
    uint64_t flags;
    uint32_t generation;
    uint16_t takes = 0;

    /// Returns whether a client owns CPUs by this slot, or may.
    [[nodiscard]] bool takes_part() const noexcept { return phase == phase::kReserved || phase == phase::kLive; }
};

SlotState state_of(const Slot& slot) noexcept;
SlotState unpack_state(uint64_t bits) noexcept;
uint64_t pack_state(const SlotState& state) noexcept;

ProcessIdentity read_identity(const IdentityWords& words) noexcept;
void write_identity(IdentityWords& words, const ProcessIdentity& identity) noexcept;
/// Makes `next` the slot's client if process `pid` is the client. Returns false, with the present client in `pid`, if
/// another process was faster. sign_takeover() has to follow.
bool replace_client(Slot& slot, uint32_t& pid, const ProcessIdentity& next) noexcept;
/// Takes the launcher away: when the client dies, the slot's CPUs are no longer kept for a launcher.
void forget_launcher(Slot& slot) noexcept;
/// Sets the min and the max of the slot's client. 0 leaves a number as it is.
void set_limits(Slot& slot, uint32_t min_cpus, uint32_t max_cpus) noexcept;

/// Returns whether the slot holds a client (Reserved or Live) of the generation that `name` means.
bool is_live(const Ledger& ledger, Owner::Name name) noexcept;

/// Returns the name of a slot's present user in owner words.
Owner::Name name_of(const Ledger& ledger, uint32_t slot) noexcept;

/// Returns the pid of the slot's client, for messages; 0: none.
uint32_t pid_of(const Ledger& ledger, uint32_t slot) noexcept;

/// Returns the slot of process `pid` of this pid namespace; kNoSlot when it is no client. Does not ask whether the
/// process still lives.
uint32_t find_pid(const Ledger& ledger, uint32_t pid) noexcept;
/// Returns another slot than `slot` of the same living process; kNoSlot: none. A joining process and an administrator
/// that reserves CPUs for it each look after having taken a slot. At least one of them sees the other's slot, and gives
/// its own up.
uint32_t find_other_slot(const Ledger& ledger, uint32_t pid, uint32_t slot) noexcept;

/// Returns the slot of the client that a user calls `pid`: a process of this pid namespace, or else a client that has
/// this number in its own namespace. This process's own number always means this process.
uint32_t find_listed_pid(const Ledger& ledger, uint32_t pid) noexcept;

/// One user of a slot.
struct User {
    uint32_t slot, generation;
    [[nodiscard]] Owner::Name name() const noexcept { return {slot, generation & 0xfff}; }
};
/// Returns the slot of the client with that pid, with the generation that the client has there: the slot may get
/// another client while an administrator looks.
User find_listed_user(const Ledger& ledger, uint32_t pid) noexcept;

/// Takes a free slot: its state is Claimed with a new generation, its contents are blank. Returns kNoSlot when the
/// table is full.
uint32_t claim_slot(const Ledger& ledger) noexcept;

/// Moves a slot to `phase`, keeping its generation. Returns false when the slot has another generation meanwhile.
bool move_slot(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t phase, uint64_t flags) noexcept;
/// Does the same from one phase only, keeping its flags. Of two processes that change it at once, one is refused.
bool change_phase(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t from, uint64_t to) noexcept;

/// Signs the identity that a process has written into `client`. The process is the slot's user from here on, in phase
/// `to` or, when that is kFree, in the present phase. Returns false when the slot has another user or was called off
/// meanwhile, perhaps because the former process was found dead.
bool sign_takeover(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t to) noexcept;
/// Makes `next` the client of the slot, in the present phase. Returns false as sign_takeover() does. Overwrites
/// the present client, whichever it is: replace_client() asks first.
bool hand_on(const Ledger& ledger, const User& user, const ProcessIdentity& next) noexcept;

/// Returns whether the process that claimed the slot died before filling it. False when that cannot be known, as for a
/// process of another pid namespace.
bool is_half_made(const Ledger& ledger, const Slot& slot) noexcept;

/// Returns whether neither the client nor its launcher lives. About 8 us per living process; unknown counts as living.
bool is_abandoned(const Slot& slot) noexcept;

}  // namespace drom
