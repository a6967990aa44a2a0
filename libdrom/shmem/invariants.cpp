// SPDX-License-Identifier: BSD-3-Clause
// invariants.cpp - every fact that must hold at every instant.
#include "invariants.hpp"

#include "base/error.hpp"
#include "reconcile.hpp"
#include "slots.hpp"

namespace drom {

namespace {

int broken(drom_error* error, const char* what, uint32_t number) noexcept {
    return fail(error, DROM_E_CORRUPT, "drom: check: %s %u; stop its clients and remove the table's directory", what,
                number);
}

int check_word(const Ledger& ledger, uint32_t cpu, drom_error* error) noexcept {
    const Owner word = load_owner(ledger, cpu);
    for (const Owner::Name client : {word.owner(), word.next()})
        if (!(client == Owner::none()) && client.slot >= ledger.clients())
            return broken(error, "an owner word names a slot that the table does not have: CPU", cpu);
    if (!(word.next() == Owner::none()) && !word.is(Owner::kOffered))
        return broken(error, "a CPU has a next owner but its owner was not notified to leave: CPU", cpu);
    if (word.is(Owner::kOffered) && word.owner() == Owner::none())
        return broken(error, "a CPU is offered but has no owner: CPU", cpu);
    if (word.is(Owner::kAbsent) && !(word.owner() == Owner::none()))
        return broken(error, "a CPU that does not exist has an owner: CPU", cpu);
    return DROM_OK;
}

int check_slot(const Ledger& ledger, uint32_t index, drom_error* error) noexcept {
    const Slot& slot = ledger.slot(index);
    const SlotState state = state_of(slot);
    if (state.phase > phase::kLeaving) return broken(error, "unknown phase of slot", index);
    if (state.phase != phase::kLive && state.phase != phase::kReserved) return DROM_OK;
    const Mailbox& mailbox = ledger.mailbox(index);
    if (confined_seq(ledger, index) > mailbox.newest.load())
        return broken(error, "a request was confined before it was posted: slot", index);
    Request posted{};
    if (!read_request(ledger, index, posted)) return DROM_OK;
    return posted.mask.none() ? broken(error, "an empty mask was posted to slot", index) : int{DROM_OK};
}

}  // namespace

int check_invariants(const Ledger& ledger, drom_error* error) noexcept {
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu)
        if (const int status = check_word(ledger, cpu, error); status != DROM_OK) return status;
    for (uint32_t slot = 0; slot < ledger.clients(); ++slot)
        if (const int status = check_slot(ledger, slot, error); status != DROM_OK) return status;
    return succeed(error);
}

}  // namespace drom
