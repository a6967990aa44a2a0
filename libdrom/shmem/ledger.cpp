// SPDX-License-Identifier: BSD-3-Clause
// ledger.cpp - the owner and home words: how they change, and which CPUs they give a client.
#include "ledger.hpp"

#include "slots.hpp"

namespace drom {

void begin_owner(const Ledger& ledger, uint32_t cpu, uint64_t flags) noexcept {
    const Owner word = Owner{0}.with(Owner::none(), Owner::none(), flags);
    ledger.owner(cpu).store(word.bits, std::memory_order_relaxed);
}

Owner load_owner(const Ledger& ledger, uint32_t cpu) noexcept {
    return {ledger.owner(cpu).load(std::memory_order_acquire)};  // mutant owner-read
}

bool change_owner(const Ledger& ledger, uint32_t cpu, Owner from, Owner to) noexcept {
    uint64_t expected = from.bits;
    return ledger.owner(cpu).compare_exchange_strong(expected, to.bits);  // mutant owner-cas
}

bool is_owned(const Ledger& ledger, Owner word) noexcept {
    return word.owner() != Owner::none() && is_live(ledger, word.owner());
}

Owner::Name prospective_owner(const Ledger& ledger, Owner word) noexcept {
    const Owner::Name client = word.is(Owner::kOffered) ? word.next() : word.owner();
    return client == Owner::none() || !is_live(ledger, client) ? Owner::none() : client;
}

// --- homes ---------------------------------------------------------------------------------------------------------

namespace {
constexpr uint64_t kRemembered = uint64_t{1} << 63;
}

uint64_t home_of(const Ledger& ledger, uint32_t slot) noexcept {
    return (uint64_t{slot} + 1) << 32 | state_of(ledger.slot(slot)).generation;
}

uint64_t remembered_home_of(const Ledger& ledger, uint32_t slot) noexcept {
    return home_of(ledger, slot) | kRemembered;
}

namespace {
Owner::Name named_by(const Ledger& ledger, uint64_t home) noexcept {
    const uint64_t slot = home >> 32;
    if (slot == 0 || slot > ledger.clients()) return Owner::none();
    const auto index = static_cast<uint32_t>(slot - 1);
    const SlotState state = state_of(ledger.slot(index));
    const bool same = state.takes_part() && state.generation == static_cast<uint32_t>(home);  // mutant home-name
    return same ? Owner::Name{index, state.generation & 0xfff} : Owner::none();
}
}  // namespace

Owner::Name home_owner(const Ledger& ledger, uint32_t cpu) noexcept {
    return named_by(ledger, ledger.home(cpu).load(std::memory_order_acquire));  // mutant home
}

Owner::Name remembered_owner(const Ledger& ledger, uint32_t cpu) noexcept {
    const uint64_t home = ledger.home(cpu).load(std::memory_order_acquire);
    return (home & kRemembered) != 0 ? named_by(ledger, home & ~kRemembered) : Owner::none();
}

bool has_home(const Ledger& ledger, uint32_t cpu) noexcept {
    return ledger.home(cpu).load(std::memory_order_relaxed) != 0;
}

void change_home(const Ledger& ledger, uint32_t cpu, uint64_t home) noexcept {
    if (home != 0) ledger.home(cpu).store(home == kNoHome ? 0 : home, std::memory_order_release);
}

// --- sets ----------------------------------------------------------------------------------------------------------

namespace {

template <class Predicate>
CpuSet select(const Ledger& ledger, Predicate&& predicate) noexcept {
    CpuSet set{};
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu)
        if (predicate(load_owner(ledger, cpu))) set.add(cpu);
    return set;
}

}  // namespace

CpuSet usable_cpus(const Ledger& ledger, Owner::Name client) noexcept {
    return select(ledger, [client](Owner word) {
        if (word.owner() == client) return !word.is(Owner::kOffered);
        return word.next() == client && word.is(Owner::kFast);
    });
}

CpuSet owned_cpus(const Ledger& ledger, Owner::Name client) noexcept {
    return select(ledger, [client](Owner word) { return word.owner() == client; });
}

CpuSet wanted_cpus(const Ledger& ledger, Owner::Name client) noexcept {
    return select(ledger, [client](Owner word) {
        return word.is(Owner::kOffered) ? word.next() == client : word.owner() == client;
    });
}

CpuSet cpus_of_node(const Ledger& ledger) noexcept {
    return select(ledger, [](Owner word) { return !word.is(Owner::kAbsent | Owner::kOffline); });
}

CpuSet free_cpus(const Ledger& ledger) noexcept {
    return select(ledger, [&ledger](Owner word) {
        return !is_owned(ledger, word) && (word.flags() & (kPermanent | Owner::kOffered)) == 0;
    });
}

NodeMasks node_masks(const Ledger& ledger) noexcept {
    return {select(ledger, [](Owner word) { return !word.is(Owner::kAbsent); }), free_cpus(ledger),
            select(ledger, [](Owner word) { return word.is(Owner::kDrained); })};
}

}  // namespace drom
