// SPDX-License-Identifier: BSD-3-Clause
// orders.cpp - new CPUs for a client: set, give, take, shrink, expand. Carries plans out, and completes what a dead
// administrator left.
#include <cstdio>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "partition/nearness.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/events.hpp"
#include "shmem/intent.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"
#include "table.hpp"

namespace drom {

VerbText::VerbText(const char* verb, uint32_t pid) noexcept {
    const int64_t number = static_cast<int32_t>(pid);
    Text(text, sizeof text) << "drom: " << verb << (number < 0 ? " -" : " ")
                            << static_cast<uint32_t>(number < 0 ? -number : number);
}

// --- plans ---------------------------------------------------------------------------------------------------------

/// Carries a plan out. Returns false when some word had changed since the planning: the rest must be planned again.
bool Table::apply(const Plan& plan) noexcept {
    bool complete = true;
    const uint64_t now = plan.count > 0 ? now_ns() : 0;
    for (uint32_t i = 0; i < plan.count; ++i) {
        const Change& change = plan.changes[i];
        // The home first: a death between the two stores leaves a home of a CPU that is still with its home client,
        // which means nothing.
        change_home(ledger_, change.cpu, change.home);
        if (!change_owner(ledger_, change.cpu, change.from, change.to)) {
            complete = false;
            continue;
        }
        const Owner::Name about = change.event == DROM_EVENT_CLAIM ? change.to.owner() : change.from.owner();
        const uint32_t pid = about.slot < ledger_.clients() ? ledger_.slot(about.slot).client.pid.load() : 0;
        record(ledger_, {.type = change.event, .slot = about.slot, .cpu = change.cpu, .pid = pid, .time_ns = now});
    }
    return complete;
}

int Table::make_plan(const Intention& what, const char* verb, Plan& plan, drom_error* error) noexcept {
    const PlanRules rules{(what.flags & DROM_TAKE) != 0, (what.flags & DROM_RETURN) != 0, (what.flags & DROM_FAST) != 0,
                          verb};
    const Owner::Name who = what.who();
    switch (what.kind) {
        case intent::kDrain: return plan_drain(ledger_, what.mask, rules, plan, error);
        case intent::kRestore: return plan_restore(ledger_, what.mask, rules, plan, error);
        case intent::kGive: return plan_give(ledger_, who, what.mask, rules, plan, error);
        case intent::kTake: return plan_take(ledger_, who, what.mask, rules, plan, error);
        case intent::kMasks: return plan_masks(ledger_, what.mask, what.targets, rules, plan, error);
        default: return plan_mask(ledger_, who, what.mask, rules, plan, error);
    }
}

/// Plans and applies, again when overtaken; then reconciles. A death on the way leaves the intent, and the next
/// administrator does the same. With a wish, the CPUs are chosen anew each time, from the words as they are then.
int Table::carry_out(Intention& what, const Wish* wish, const char* verb, SlotSet& touched, bool& changed,
                     drom_error* error) noexcept {
    for (int attempt = 0; attempt < 16; ++attempt) {
        const bool again = attempt > 0;
        Plan plan{changes_, 0, {}};
        int status = wish != nullptr ? choose(*wish, again, what, verb, error) : int{DROM_OK};
        if (status == DROM_OK) status = make_plan(what, verb, plan, error);
        if (status != DROM_OK) {
            if (again) clear_intent(ledger_);
            return status;
        }
        for (size_t i = 0; i < sizeof touched.words / sizeof touched.words[0]; ++i)
            touched.words[i] |= plan.touched.words[i];
        changed |= plan.count > 0;
        const bool announced = plan.count > 1 || again;  // one word is changed completely or not at all
        if (announced) write_intent(ledger_, what);
        const bool complete = apply(plan);
        if (!complete) continue;
        changed |= reconcile(ledger_, pages_, touched);
        if (announced) clear_intent(ledger_);
        return succeed(error);
    }
    reconcile(ledger_, pages_, touched);
    clear_intent(ledger_);
    return fail(error, DROM_E_BUSY, "%s: other administrators changed the same CPUs 16 times meanwhile; try again",
                verb);
}

/// Completes what a dead administrator had begun. If that is refused now (its client has died too), the part that was
/// done is as legal as any state.
bool Table::finish_intent() noexcept {
    Intention what;
    what.targets = targets_;
    if (!read_intent(ledger_, what)) {
        if (ledger_.intent().kind.load() != intent::kNothing) clear_intent(ledger_);  // damaged
        return false;
    }
    const bool possible = !what.is_about_a_client() || is_live(ledger_, what.who());
    SlotSet touched;
    bool changed = false;
    if (possible) carry_out(what, nullptr, "drom: finish", touched, changed, nullptr);
    clear_intent(ledger_);
    return changed;
}

// --- wishes --------------------------------------------------------------------------------------------------------

int Table::check_limits(uint32_t index, const CpuSet& mask, const char* verb, drom_error* error) noexcept {
    const Slot& slot = ledger_.slot(index);
    const Owner::Name who = name_of(ledger_, index);
    // The only administrator of a node's table is the resource manager, which may do this.
    const bool rigid = (state_of(slot).flags & slot_flag::kRigid) != 0 && !ledger_.node_mode();
    if (rigid && !(wanted_cpus(ledger_, who) - mask).none())
        return fail(error, DROM_E_BUSY, "%s: the client is rigid: it keeps its CPUs until it ends", verb);
    const uint32_t count = mask.count(ledger_.cpus());
    const uint32_t least = slot.min_cpus.load(std::memory_order_relaxed);
    const uint32_t most = slot.max_cpus.load(std::memory_order_relaxed);
    if (count < least)
        return fail(error, DROM_E_INVAL, "%s: %s asked, but the client needs at least %u", verb,
                    CountText(count, "CPU").text, least);
    if (most != 0 && count > most)
        return fail(error, DROM_E_INVAL,
                    "%s: %s asked, but the client uses at most %u; drom run --max %u starts it so that it can grow",
                    verb, CountText(count, "CPU").text, most, count);
    return DROM_OK;
}

/// Turns a wish into CPUs, on the words as they are now. `again`: this call may have done part of it already, which is
/// no reason to refuse.
int Table::choose(const Wish& wish, bool again, Intention& what, const char* verb, drom_error* error) noexcept {
    what.mask = wish.mask;
    switch (wish.kind) {
        case Wish::kWithout: return choose_kept(wish, again, what, verb, error);
        case Wish::kShrink: return choose_fewer(wish, again, what, verb, error);
        case Wish::kExpand: return choose_more(wish, again, what, verb, error);
        default: break;
    }
    const bool exactly = wish.kind == Wish::kExactly;
    what.kind = exactly ? intent::kMask : intent::kGive;
    if (const int status = check_cpus(ledger_, wish.mask, false, verb, error); status != DROM_OK) return status;
    if (exactly) return check_limits(what.slot, wish.mask, verb, error);
    return check_limits(what.slot, wish.mask | wanted_cpus(ledger_, what.who()), verb, error);
}

int Table::choose_kept(const Wish& wish, bool again, Intention& what, const char* verb, drom_error* error) noexcept {
    const CpuSet has = wanted_cpus(ledger_, what.who());
    const CpuSet strange = wish.mask - has;
    what.kind = intent::kTake;
    what.mask = wish.mask & has;
    if (wish.mask.none()) return fail(error, DROM_E_INVAL, "%s: the mask is empty; name the CPUs to take", verb);
    if (!strange.none() && !again)
        return fail(error, DROM_E_NOCPU, "%s: %s %s %s, which has %s", verb, CpusText(strange).text,
                    strange.count() == 1 ? "is not one of" : "are not among those of",
                    ClientText(ledger_, what.slot).text, CpuText(has).text);
    const CpuSet kept = has - wish.mask;
    return kept.none() ? int{DROM_OK} : check_limits(what.slot, kept, verb, error);  // no CPU left: the plan refuses
}

int Table::choose_fewer(const Wish& wish, bool again, Intention& what, const char* verb, drom_error* error) noexcept {
    const CpuSet mask = wanted_cpus(ledger_, what.who());
    const uint32_t has = mask.count();
    what.kind = intent::kTake;
    what.mask = CpuSet::empty();
    if (wish.to == 0) return fail(error, DROM_E_INVAL, "%s: a client keeps at least one CPU", verb);
    if (wish.to == has) return DROM_OK;  // nothing to take: a result, no error
    if (wish.to > has && !again)
        return fail(error, DROM_E_INVAL, "%s: to %s: it has %u; %s", verb, CountText(wish.to, "CPU").text, has,
                    wish.to > ledger_.cpus() ? "the node has fewer too" : "use expand to give more");
    if (wish.to < has) what.mask = partition::choose_far(mask, has - wish.to, &ledger_.place(0));
    return check_limits(what.slot, mask - what.mask, verb, error);
}

/// Refuses because not so many can be given. The advice depends on the owners of the remaining CPUs.
int Table::refuse_more(Owner::Name who, const CpuSet& all, uint32_t has, uint32_t to, bool take, const char* verb,
                       drom_error* error) noexcept {
    CpuSet present{}, unowned{}, drained{};
    masks(present, unowned, drained);
    char advice[160];
    const bool others_can = !take && !choose_taken(ledger_, who, all, to - all.count()).none();
    if (others_can)
        snprintf(advice, sizeof advice, "use --take (DROM_TAKE) to take from other clients");
    else if (!(drained - all).none())
        snprintf(advice, sizeof advice, "drom restore gives back %s, drained now", CpusText(drained - all).text);
    else if (!(present - all - unowned).none())
        snprintf(advice, sizeof advice, "the others need theirs");
    else
        snprintf(advice, sizeof advice, "the node has no more");
    return fail(error, DROM_E_NOCPU, "%s: to %s: it has %u and only %u more can be given; %s", verb,
                CountText(to, "CPU").text, has, all.count() - has, advice);
}

int Table::choose_more(const Wish& wish, bool again, Intention& what, const char* verb, drom_error* error) noexcept {
    const Owner::Name who = what.who();
    const CpuSet mask = wanted_cpus(ledger_, who);
    const uint32_t has = mask.count();
    const bool take = (what.flags & DROM_TAKE) != 0;
    what.kind = intent::kGive;
    what.mask = CpuSet::empty();
    if (wish.to == has || (wish.to < has && again)) return DROM_OK;
    if (wish.to < has)
        return fail(error, DROM_E_INVAL, "%s: to %s: it has %u; use shrink to take some", verb,
                    CountText(wish.to, "CPU").text, has);
    CpuSet all = mask | partition::choose_near(mask, givable_cpus(ledger_, who), wish.to - has, &ledger_.place(0));
    if (all.count() < wish.to && take) all = all | choose_taken(ledger_, who, all, wish.to - all.count());
    if (all.count() < wish.to) return refuse_more(who, all, has, wish.to, take, verb, error);
    what.mask = all - mask;
    return check_limits(what.slot, all, verb, error);
}

// --- changes -------------------------------------------------------------------------------------------------------

int Table::change_user(User user, const Wish& wish, const Options& options, const char* verb,
                       drom_error* error) noexcept {
    SlotSet touched;
    bool changed = false;
    Intention what;  // its mask is chosen below; clearing half a kilobyte would be measurable
    what.kind = intent::kMask;
    what.slot = user.slot;
    what.generation = user.generation;
    what.flags = options.flags;
    const int status = carry_out(what, &wish, verb, touched, changed, error);
    return status == DROM_OK && !changed ? int{DROM_UNCHANGED} : status;
}

int Table::change_client(uint32_t pid, const Wish& wish, const Options& options, const char* name,
                         drom_error* error) noexcept {
    const VerbText verb(name, pid);
    if (const int status = writable(name, error); status != DROM_OK) return status;
    Goal goal{};
    int status = DROM_OK;
    const Awaiting awaiting(pages_, options);
    {
        const AdminLock lock(ledger_.header(), deadline_in_ms(options.timeout_ms));
        begin(lock.inherited(), error);
        User user{};
        if (status = find(pid, verb.text, user, error); status != DROM_OK) return status;
        goal = {user.slot, user.generation, 0, false};
        status = change_user(user, wish, options, verb.text, error);
    }
    if (status < 0) return status;
    const int finished = finish(goal, options, verb.text, error);
    const bool again =
        status == DROM_UNCHANGED && finished == DROM_OK && options.waits() && !options.has(DROM_NEVER_CONFINE);
    if (again && !confine_again({goal.slot, goal.generation}))
        return still_pending(goal.slot, options, verb.text, error);
    return status == DROM_UNCHANGED && finished == DROM_OK ? status : finished;
}

int Table::set_mask(uint32_t pid, const CpuSet& mask, const Options& options, drom_error* error) noexcept {
    return change_client(pid, {Wish::kExactly, mask, 0}, options, "set", error);
}

// --- several clients at once ---------------------------------------------------------------------------------------

int Table::assign_one(const ClientMask& wanted, Intention& what, SlotSet& named, drom_error* error) noexcept {
    const VerbText verb("set", wanted.pid);
    User user{};
    if (const int status = find(wanted.pid, verb.text, user, error); status != DROM_OK) return status;
    const uint32_t slot = user.slot;
    if (named.has(slot))
        return fail(error, DROM_E_INVAL, "%s: %s is named twice; give each client one mask", verb.text,
                    ClientText(ledger_, slot).text);
    if (const int status = check_cpus(ledger_, wanted.mask, false, verb.text, error); status != DROM_OK) return status;
    if (const int status = check_limits(slot, wanted.mask, verb.text, error); status != DROM_OK) return status;
    named.add(slot);
    for (uint32_t cpu = wanted.mask.first(); cpu < ledger_.cpus(); cpu = wanted.mask.next(cpu + 1, ledger_.cpus())) {
        if (what.mask.has(cpu))
            return fail(error, DROM_E_INVAL, "%s: CPU %u is asked for %s too; a CPU has one owner", verb.text, cpu,
                        ClientText(ledger_, what.targets[cpu].slot).text);
        what.targets[cpu] = user.name();
        what.mask.add(cpu);
    }
    return DROM_OK;
}

int Table::assign(const ClientMask* wanted, size_t n, Intention& what, SlotSet& named, drom_error* error) noexcept {
    if (n == 0) return fail(error, DROM_E_INVAL, "drom: set: no client is named; name at least one and its mask");
    for (size_t i = 0; i < n; ++i)
        if (const int status = assign_one(wanted[i], what, named, error); status != DROM_OK) return status;
    return DROM_OK;
}

int Table::set_masks(const ClientMask* wanted, size_t n, const Options& options, drom_error* error) noexcept {
    if (const int status = writable("set", error); status != DROM_OK) return status;
    SlotSet named, touched;
    bool changed = false;
    const Awaiting awaiting(pages_, options);
    {
        const AdminLock lock(ledger_.header(), deadline_in_ms(options.timeout_ms));
        begin(lock.inherited(), error);
        Intention what{intent::kMasks, kNoSlot, 0, CpuSet::empty(), options.flags, targets_};
        int status = assign(wanted, n, what, named, error);
        if (status == DROM_OK) status = carry_out(what, nullptr, "drom: set", touched, changed, error);
        if (status != DROM_OK) return status;
    }
    const int finished = finish_all(named, options, "drom: set", error);
    return finished == DROM_OK && !changed ? int{DROM_UNCHANGED} : finished;
}

int Table::give(uint32_t pid, const CpuSet& cpus, const Options& options, drom_error* error) noexcept {
    return change_client(pid, {Wish::kBesides, cpus, 0}, options, "give", error);
}

int Table::take(uint32_t pid, const CpuSet& cpus, const Options& options, drom_error* error) noexcept {
    return change_client(pid, {Wish::kWithout, cpus, 0}, options, "take", error);
}

int Table::shrink(uint32_t pid, uint32_t to, const Options& options, drom_error* error) noexcept {
    return change_client(pid, {Wish::kShrink, {}, to}, options, "shrink", error);
}

int Table::expand(uint32_t pid, uint32_t to, const Options& options, drom_error* error) noexcept {
    return change_client(pid, {Wish::kExpand, {}, to}, options, "expand", error);
}

}  // namespace drom
