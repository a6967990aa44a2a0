// SPDX-License-Identifier: BSD-3-Clause
// carry_out.cpp - the frame of every operation: the lock, recovery, plans, and carrying them out.
#include "carry_out.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/events.hpp"
#include "shmem/invariants.hpp"
#include "shmem/reconcile.hpp"

namespace drom {

namespace {

/// Carries a plan out. Returns false when some word had changed since the planning: the rest must be planned again.
bool apply(const Ledger& ledger, const Plan& plan) noexcept {
    bool complete = true;
    const uint64_t now = plan.count > 0 ? now_ns() : 0;
    for (uint32_t i = 0; i < plan.count; ++i) {
        const Change& change = plan.changes[i];
        // The home first: a death between the two stores leaves a home of a CPU that is still with its home client,
        // which means nothing.
        change_home(ledger, change.cpu, change.home);  // mutant change-home
        if (!change_owner(ledger, change.cpu, change.from, change.to)) {
            complete = false;
            continue;
        }
        const Owner::Name about = change.event == DROM_EVENT_CLAIM ? change.to.owner() : change.from.owner();
        const uint32_t pid = about.slot < ledger.clients() ? ledger.slot(about.slot).client.pid.load() : 0;
        record(ledger, {.type = change.event, .slot = about.slot, .cpu = change.cpu, .pid = pid, .time_ns = now});
    }
    return complete;
}

int make_plan(const Ledger& ledger, const Intent& what, const char* verb, Plan& plan, drom_error* error) noexcept {
    const PlanRules rules{(what.flags & DROM_TAKE) != 0, (what.flags & DROM_RETURN) != 0, (what.flags & DROM_FAST) != 0,
                          verb};
    const Owner::Name client = what.client();
    switch (what.kind) {
        case intent::kDrain: return plan_drain(ledger, what.mask, rules, plan, error);
        case intent::kRestore: return plan_restore(ledger, what.mask, rules, plan, error);
        case intent::kAdd: return plan_add(ledger, client, what.mask, rules, plan, error);
        case intent::kRemove: return plan_remove(ledger, client, what.mask, rules, plan, error);
        case intent::kMasks: return plan_masks(ledger, what.mask, what.targets, rules, plan, error);
        default: return plan_mask(ledger, client, what.mask, rules, plan, error);
    }
}

/// Completes what a dead administrator had begun. If that is refused now (its client has died too), the part that was
/// done is as legal as any state.
bool finish_intent(Table& table) noexcept {
    Intent what;
    what.targets = table.targets;
    if (!read_intent(table.ledger, what)) {
        if (table.ledger.intent().kind.load() != intent::kNothing) clear_intent(table.ledger);  // damaged
        return false;
    }
    const bool possible = !what.is_about_a_client() || is_live(table.ledger, what.client());
    Outcome outcome;
    if (possible) carry_out(table, what, nullptr, "drom: finish", outcome, nullptr);
    clear_intent(table.ledger);
    return outcome.changed;
}

void refresh_offline(const Ledger& ledger) noexcept {
    if (present_cpus().last() + 1 != ledger.cpus()) return;  // a synthetic node has no /sys
    CpuSet now_online{};
    if (!read_online_cpus(now_online)) return;  // the last known state stays
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
        const Owner word = load_owner(ledger, cpu);
        if (word.is(Owner::kOffline) == now_online.has(cpu))
            change_owner(ledger, cpu, word, online(word, now_online.has(cpu)));
    }
}

}  // namespace

int carry_out(Table& table, Intent& what, const Order* order, const char* verb, Outcome& outcome,
              drom_error* error) noexcept {
    const Ledger& ledger = table.ledger;
    SlotSet& touched = outcome.touched;
    for (int attempt = 0; attempt < 16; ++attempt) {
        const bool again = attempt > 0;
        Plan plan{table.changes, 0, {}};
        int status = order != nullptr ? resolve_order(ledger, *order, again, what, verb, error) : int{DROM_OK};
        if (status == DROM_OK) status = make_plan(ledger, what, verb, plan, error);
        if (status != DROM_OK) {
            if (again) clear_intent(ledger);
            return status;
        }
        for (size_t i = 0; i < sizeof touched.words / sizeof touched.words[0]; ++i)
            touched.words[i] |= plan.touched.words[i];
        outcome.changed |= plan.count > 0;
        const bool announced = plan.count > 1 || again;  // one word is changed completely or not at all
        if (announced) write_intent(ledger, what);       // mutant intent
        const bool complete = apply(ledger, plan);
        if (!complete) continue;
        outcome.changed |= reconcile(ledger, table.pages, touched);  // mutant reconcile-first
        if (announced) clear_intent(ledger);
        return succeed(error);
    }
    reconcile(ledger, table.pages, touched);
    clear_intent(ledger);
    return fail(error, DROM_E_BUSY, "%s: other administrators changed the same CPUs 16 times meanwhile; try again",
                verb);
}

/// Looks for an intent whichever process held the lock before: an administrator that only waits may have held it after
/// the dead one, and left the intent where it was.
LockedTable::LockedTable(Table& table, const Options& options) noexcept
    : lock_(table.ledger.header(), deadline_in_ms(options.timeout_ms)) {
    constexpr uint64_t kReaperPeriod = 100 * kMillisecond;
    const bool unfinished = table.ledger.intent().kind.load(std::memory_order_relaxed) != intent::kNothing;
    if (lock_.inherited() || unfinished) {  // mutant unfinished
        finish_intent(table);               // mutant inherited
        reconcile_all(table.ledger, table.pages);
    }
    if (tick_ns() > table.ledger.header().reaped_ns.load(std::memory_order_relaxed) + kReaperPeriod) {
        refresh_offline(table.ledger);
        reap(table.ledger, table.pages, table.path);
    }
}

int carry_out(Table& table, const User& user, const Order& order, const Options& options, const char* verb,
              drom_error* error) noexcept {
    Outcome outcome;
    Intent what;  // its mask is chosen below; clearing half a kilobyte would be measurable
    what.kind = intent::kMask;
    what.slot = user.slot;
    what.generation = user.generation;
    what.flags = options.flags;
    const int status = carry_out(table, what, &order, verb, outcome, error);
    return status == DROM_OK && !outcome.changed ? int{DROM_UNCHANGED} : status;
}

int check_table(Table& table, const Options& options, drom_error* error) noexcept {
    if (const int status = table.writable("check", error); status != DROM_OK) return status;
    const AdminLock lock(table.ledger.header(), deadline_in_ms(options.timeout_ms));
    if (const int status = check_invariants(table.ledger, error); status != DROM_OK) return status;
    refresh_offline(table.ledger);
    const bool finished = finish_intent(table);
    const bool reaped = reap(table.ledger, table.pages, table.path) > 0;
    const bool reconciled = reconcile_all(table.ledger, table.pages);
    if (const int status = check_invariants(table.ledger, error); status != DROM_OK) return status;
    return finished || reaped || reconciled ? int{DROM_OK} : int{DROM_UNCHANGED};
}

}  // namespace drom
