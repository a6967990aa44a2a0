// SPDX-License-Identifier: BSD-3-Clause
// slots.cpp - the slots of a table, one per client.
#include "slots.hpp"

#include <cstring>

#include "mailbox.hpp"

namespace drom {

SlotState unpack_state(uint64_t bits) noexcept {
    return {bits >> 56, bits >> 48 & 0xff, static_cast<uint32_t>(bits), static_cast<uint16_t>(bits >> 32)};
}

SlotState state_of(const Slot& slot) noexcept {
    return unpack_state(slot.state.load(std::memory_order_acquire));  // mutant phase
}

uint64_t pack_state(const SlotState& state) noexcept {
    return state.phase << 56 | (state.flags & 0xff) << 48 | uint64_t{state.takes} << 32 | state.generation;
}

namespace {
constexpr uint32_t kClaimerShift = 32;
constexpr uint64_t kClaimerMask = 0x3fffff;  // pid_max is 2^22
constexpr uint64_t kAtHome = uint64_t{1} << 54;

uint64_t claimed_by(const Ledger& ledger, const ProcessIdentity& identity, uint32_t generation) noexcept {
    const uint64_t home = identity.pidns == ledger.header().pidns ? kAtHome : 0;
    return pack_state({phase::kClaimed, 0, generation}) | home | (identity.pid & kClaimerMask) << kClaimerShift;
}
}  // namespace

ProcessIdentity read_identity(const IdentityWords& words) noexcept {
    const uint32_t pid = words.pid.load(std::memory_order_acquire);  // mutant identity-read
    if (pid == 0) return {};                                         // its writer may still be at the other two words
    return {pid, words.start.load(std::memory_order_relaxed), words.pidns.load(std::memory_order_relaxed)};
}

void write_identity(IdentityWords& words, const ProcessIdentity& identity) noexcept {
    words.start.store(identity.start, std::memory_order_relaxed);
    words.pidns.store(identity.pidns, std::memory_order_relaxed);
    words.pid.store(identity.pid, std::memory_order_release);  // mutant identity-pid
}

bool replace_client(Slot& slot, uint32_t& pid, const ProcessIdentity& next) noexcept {
    if (!slot.client.pid.compare_exchange_strong(pid, next.pid)) return false;
    slot.client.start.store(next.start);
    slot.client.pidns.store(next.pidns);
    return true;
}

void forget_launcher(Slot& slot) noexcept { slot.launcher.pid.store(0); }

void set_limits(Slot& slot, uint32_t min_cpus, uint32_t max_cpus) noexcept {
    if (min_cpus != 0) slot.min_cpus.store(min_cpus);
    if (max_cpus != 0) slot.max_cpus.store(max_cpus);
}

namespace {
/// Blanks a slot. Only the claimer may do this: two reapers can retire the same slot at once, and the slower one must
/// not touch its next user.
void blank(const Ledger& ledger, uint32_t index) noexcept {
    blank_request(ledger, index);
    Slot& slot = ledger.slot(index);
    write_identity(slot.client, {});
    write_identity(slot.launcher, {});
    slot.min_cpus.store(1, std::memory_order_relaxed);
    slot.max_cpus.store(0, std::memory_order_relaxed);
    slot.joined_ns.store(0, std::memory_order_relaxed);
    memset(slot.name, 0, sizeof slot.name);
    memset(slot.job, 0, sizeof slot.job);
}
}  // namespace

bool is_live(const Ledger& ledger, Owner::Name name) noexcept {
    if (name.slot >= ledger.clients()) return false;
    const SlotState state = state_of(ledger.slot(name.slot));
    return state.takes_part() && (state.generation & 0xfff) == name.gen;  // mutant name
}

Owner::Name name_of(const Ledger& ledger, uint32_t slot) noexcept {
    return {slot, state_of(ledger.slot(slot)).generation & 0xfff};
}

namespace {
struct Found {
    uint32_t here, elsewhere;  ///< in this pid namespace, in another one
};

Found find_in_namespaces(const Ledger& ledger, uint32_t pid) noexcept {
    Found found{kNoSlot, kNoSlot};
    for (uint32_t i = 0; i < ledger.clients() && found.here == kNoSlot; ++i) {
        const Slot& slot = ledger.slot(i);
        if (slot.client.pid.load(std::memory_order_acquire) != pid || !state_of(slot).takes_part()) continue;
        if (slot.client.pidns.load(std::memory_order_relaxed) == self().pidns)
            found.here = i;
        else if (found.elsewhere == kNoSlot)
            found.elsewhere = i;
    }
    return found;
}
}  // namespace

uint32_t pid_of(const Ledger& ledger, uint32_t slot) noexcept {
    return slot >= ledger.clients() ? 0 : ledger.slot(slot).client.pid.load(std::memory_order_relaxed);
}

uint32_t find_pid(const Ledger& ledger, uint32_t pid) noexcept { return find_in_namespaces(ledger, pid).here; }

uint32_t find_other_slot(const Ledger& ledger, uint32_t pid, uint32_t slot) noexcept {
    for (uint32_t i = 0; i < ledger.clients(); ++i) {
        if (i == slot || !unpack_state(ledger.slot(i).state.load()).takes_part()) continue;
        const ProcessIdentity identity = read_identity(ledger.slot(i).client);
        if (identity.pid == pid && identity.pidns == self().pidns && liveness(identity) != Liveness::kDead) return i;
    }
    return kNoSlot;
}

uint32_t find_listed_pid(const Ledger& ledger, uint32_t pid) noexcept {
    const Found found = find_in_namespaces(ledger, pid);
    return found.here != kNoSlot || pid == self().pid ? found.here : found.elsewhere;
}

User find_listed_user(const Ledger& ledger, uint32_t pid) noexcept {
    // A try fails when the slot has just got another user. The limit is for a damaged table.
    constexpr int kTries = 64;
    for (int tries = 0; tries < kTries; ++tries) {
        const uint32_t slot = find_listed_pid(ledger, pid);
        if (slot == kNoSlot) break;
        // The slot may have got another user since. Its claimer finds the former user's number there, and blanks it
        // afterwards. So the number belongs to the generation only while the slot takes part.
        const SlotState now = state_of(ledger.slot(slot));
        const bool still = now.takes_part() && ledger.slot(slot).client.pid.load() == pid;  // mutant looked-for
        if (still && state_of(ledger.slot(slot)).generation == now.generation) return {slot, now.generation};
    }
    return {kNoSlot, 0};
}

uint32_t claim_slot(const Ledger& ledger) noexcept {
    for (uint32_t i = 0; i < ledger.clients(); ++i) {
        Slot& slot = ledger.slot(i);
        const SlotState state = state_of(slot);
        if (state.phase != phase::kFree) continue;
        uint64_t expected = pack_state(state);
        const ProcessIdentity me = self();
        const uint64_t claimed = claimed_by(ledger, me, state.generation + 1);
        if (!slot.state.compare_exchange_strong(expected, claimed)) continue;  // mutant claim
        write_identity(slot.claimer, me);
        slot.claimer.signs.store(state.generation + 1, std::memory_order_release);
        blank(ledger, i);
        return i;
    }
    return kNoSlot;
}

bool move_slot(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t to, uint64_t flags) noexcept {
    Word& word = ledger.slot(slot).state;
    uint64_t bits = word.load();
    while (static_cast<uint32_t>(bits) == generation)
        if (word.compare_exchange_weak(bits, pack_state({to, flags, generation}))) return true;  // mutant move-slot
    return false;
}

bool change_phase(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t from, uint64_t to) noexcept {
    Word& word = ledger.slot(slot).state;
    uint64_t bits = word.load();
    for (SlotState now = unpack_state(bits); now.generation == generation && now.phase == from;
         now = unpack_state(bits))
        if (word.compare_exchange_weak(bits, pack_state({to, now.flags, generation, now.takes}))) return true;
    return false;
}

bool sign_takeover(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t to) noexcept {
    Word& word = ledger.slot(slot).state;
    uint64_t bits = word.load();
    for (SlotState now = unpack_state(bits); now.generation == generation && now.takes_part();
         now = unpack_state(bits)) {
        const uint64_t phase = to == phase::kFree ? now.phase : to;
        const auto takes = static_cast<uint16_t>(now.takes + 1);  // mutant takes
        if (word.compare_exchange_weak(bits, pack_state({phase, now.flags, generation, takes}))) return true;
    }
    return false;
}

bool hand_on(const Ledger& ledger, const User& user, const ProcessIdentity& next) noexcept {
    write_identity(ledger.slot(user.slot).client, next);
    return sign_takeover(ledger, user.slot, user.generation, phase::kFree);
}

bool is_half_made(const Ledger& ledger, const Slot& slot) noexcept {
    const uint64_t bits = slot.state.load(std::memory_order_acquire);
    if (bits >> 56 != phase::kClaimed) return false;
    if (slot.claimer.signs.load(std::memory_order_acquire) == static_cast<uint32_t>(bits))  // mutant claimer
        return liveness(read_identity(slot.claimer)) == Liveness::kDead;
    // The claimer has not signed the slot yet, or died before that: `claimer` still names the former one.
    const bool is_seen_here = (bits & kAtHome) != 0 && self().pidns == ledger.header().pidns;  // mutant seen-here
    return is_seen_here && is_no_process(static_cast<uint32_t>(bits >> kClaimerShift & kClaimerMask));
}

bool is_abandoned(const Slot& slot) noexcept {
    if (liveness(read_identity(slot.client)) != Liveness::kDead) return false;
    const ProcessIdentity launcher = read_identity(slot.launcher);
    return launcher.pid == 0 || liveness(launcher) == Liveness::kDead;
}

}  // namespace drom
