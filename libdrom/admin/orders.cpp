// SPDX-License-Identifier: BSD-3-Clause
// orders.cpp - new CPUs for clients: set, add, remove, shrink, expand, drain, restore.
#include "orders.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "carry_out.hpp"
#include "confine_outside.hpp"
#include "wait.hpp"

namespace drom {

namespace {

int assign_one(Table& table, const ClientMask& wanted, Intent& what, SlotSet& named, drom_error* error) noexcept {
    const Ledger& ledger = table.ledger;
    const VerbText verb("set", wanted.pid);
    User user{};
    if (const int status = table.find(wanted.pid, verb.text, user, error); status != DROM_OK) return status;
    const uint32_t slot = user.slot;
    if (named.has(slot))
        return fail(error, DROM_E_INVAL, "%s: %s is named twice; give each client one mask", verb.text,
                    ClientText(ledger, slot).text);
    if (const int status = check_cpus(ledger, wanted.mask, false, verb.text, error); status != DROM_OK) return status;
    if (const int status = check_limits(ledger, slot, wanted.mask, verb.text, error); status != DROM_OK) return status;
    named.add(slot);
    for (uint32_t cpu = wanted.mask.first(); cpu < ledger.cpus(); cpu = wanted.mask.next(cpu + 1, ledger.cpus())) {
        if (what.mask.has(cpu))
            return fail(error, DROM_E_INVAL, "%s: CPU %u is asked for %s too; a CPU has one owner", verb.text, cpu,
                        ClientText(ledger, what.targets[cpu].slot).text);
        what.targets[cpu] = user.name();
        what.mask.add(cpu);
    }
    return DROM_OK;
}

int assign(Table& table, const ClientMask* wanted, size_t n, Intent& what, SlotSet& named, drom_error* error) noexcept {
    if (n == 0) return fail(error, DROM_E_INVAL, "drom: set: no client is named; name at least one and its mask");
    for (size_t i = 0; i < n; ++i)
        if (const int status = assign_one(table, wanted[i], what, named, error); status != DROM_OK) return status;
    return DROM_OK;
}

}  // namespace

int change(Table& table, uint32_t pid, const Order& order, const Options& options, drom_error* error) noexcept {
    static constexpr const char* kNames[] = {"set", "add", "remove", "shrink", "expand"};
    const char* name = kNames[order.kind];
    const VerbText verb(name, pid);
    if (const int status = table.writable(name, error); status != DROM_OK) return status;
    User user{};
    int status = DROM_OK;
    const Awaiting awaiting(table.pages, options);
    {
        const LockedTable locked(table, options);
        if (status = table.find(pid, verb.text, user, error); status != DROM_OK) return status;
        status = carry_out(table, user, order, options, verb.text, error);
    }
    if (status < 0) return status;
    const int finished = finish(table, user, options, verb.text, error);
    if (status != DROM_UNCHANGED || finished != DROM_OK) return finished;
    const bool again = options.waits() && !options.has(DROM_NEVER_CONFINE);
    if (again && !confine_again(table, user, deadline_in_ms(options.timeout_ms)))
        return still_pending(table, user.slot, options, verb.text, error);
    return status;
}

int set_masks(Table& table, const ClientMask* wanted, size_t n, const Options& options, drom_error* error) noexcept {
    if (const int status = table.writable("set", error); status != DROM_OK) return status;
    SlotSet named;
    Outcome outcome;
    const Awaiting awaiting(table.pages, options);
    {
        const LockedTable locked(table, options);
        Intent what{intent::kMasks, kNoSlot, 0, CpuSet::empty(), options.flags, table.targets};
        int status = assign(table, wanted, n, what, named, error);
        if (status == DROM_OK) status = carry_out(table, what, nullptr, "drom: set", outcome, error);
        if (status != DROM_OK) return status;
    }
    const int finished = finish_all(table, named, options, "drom: set", error);
    return finished == DROM_OK && !outcome.changed ? int{DROM_UNCHANGED} : finished;
}

int change_cpus(Table& table, uint64_t kind, const CpuSet& mask, const Options& options, drom_error* error) noexcept {
    const bool drained = kind == intent::kDrain;
    const char* verb = drained ? "drain" : "restore";
    if (const int status = table.writable(verb, error); status != DROM_OK) return status;
    const char* sentence = drained ? "drom: drain" : "drom: restore";
    Intent what{kind, kNoSlot, 0, mask, options.flags};
    Outcome outcome;
    const Awaiting awaiting(table.pages, options);
    {
        const LockedTable locked(table, options);
        const int status = carry_out(table, what, nullptr, sentence, outcome, error);
        if (status != DROM_OK) return status;
    }
    const int finished = finish_all(table, outcome.touched, options, sentence, error);
    return finished == DROM_OK && !outcome.changed ? int{DROM_UNCHANGED} : finished;
}

}  // namespace drom
