// SPDX-License-Identifier: BSD-3-Clause
// slots.hpp - slots: who takes part.
#pragma once

#include "base/identity.hpp"
#include "drom/drom.h"
#include "segment.hpp"

namespace drom {

struct SlotState {
    uint64_t phase;
    uint64_t flags;
    uint32_t generation;
    uint16_t takes = 0;

    /// Somebody owns CPUs by this slot, or may.
    [[nodiscard]] bool takes_part() const noexcept { return phase == phase::kReserved || phase == phase::kLive; }
};

SlotState state_of(const Slot& slot) noexcept;
SlotState unpack_state(uint64_t bits) noexcept;
uint64_t pack_state(const SlotState& state) noexcept;

Who read_who(const Identity& identity) noexcept;
void write_who(Identity& identity, const Who& who) noexcept;

/// True while the slot holds a client (Reserved or Live) of the generation that `name` means.
bool is_live(const Ledger& ledger, Owner::Name name) noexcept;

/// The name of a slot's present user in owner words.
Owner::Name name_of(const Ledger& ledger, uint32_t slot) noexcept;

/// The pid of the slot's client, for people; 0: none.
uint32_t pid_of(const Ledger& ledger, uint32_t slot) noexcept;

/// The slot of process `pid` of this pid namespace, kNoSlot when it is no client. Does not ask whether the process
/// still lives.
uint32_t find_pid(const Ledger& ledger, uint32_t pid) noexcept;
/// Another slot of the same living process than `slot`; kNoSlot. A process that joins and who reserves CPUs for it look
/// each after having taken a slot: at least one of them sees the other's, and gives its own up.
uint32_t find_other_slot(const Ledger& ledger, uint32_t pid, uint32_t slot) noexcept;

/// The slot of the client that somebody means by `pid`: a process of this pid namespace, or else one that is listed by
/// that number because it is called so in its own. This process's number is nobody else's.
uint32_t find_listed_pid(const Ledger& ledger, uint32_t pid) noexcept;

/// One user of a slot.
struct User {
    uint32_t slot, generation;
    [[nodiscard]] Owner::Name name() const noexcept { return {slot, generation & 0xfff}; }
};
/// The same client, and which user of its slot that is: clients come and go while administrators look.
User find_listed_user(const Ledger& ledger, uint32_t pid) noexcept;

/// Takes a free slot: its state is Claimed with a new generation, its contents blank. kNoSlot when the table is full.
uint32_t claim_slot(const Ledger& ledger) noexcept;

/// Moves a slot to `phase`, keeping its generation. False when it has been taken to another generation meanwhile.
bool move_slot(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t phase, uint64_t flags) noexcept;
/// The same from one phase only, keeping its flags: of two that change it at once one is refused.
bool change_phase(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t from, uint64_t to) noexcept;

/// Signs what a process has written into `client`: it is the slot's user from here on, in `to` or, when that is kFree,
/// the phase that is there. False when the slot has been passed on or called off meanwhile, perhaps because the process
/// before this one has been found dead.
bool sign_takeover(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t to) noexcept;

/// The process that claimed the slot died before it was filled. False when that cannot be told, as of a process of
/// another pid namespace.
bool is_half_made(const Ledger& ledger, const Slot& slot) noexcept;

/// Neither the client nor its launcher lives. About 8 us a living process; unknown counts as living.
bool is_abandoned(const Slot& slot) noexcept;

}  // namespace drom
