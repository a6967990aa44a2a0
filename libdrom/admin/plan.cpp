// SPDX-License-Identifier: BSD-3-Clause
// plan.cpp - which owner words must change to give a client a mask, or what is in the way.
#include "plan.hpp"

#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/short_list.hpp"
#include "shmem/slots.hpp"

namespace drom {

uint32_t min_cpus(const Ledger& ledger, uint32_t slot) noexcept {
    return std::max(1u, ledger.slot(slot).min_cpus.load(std::memory_order_relaxed));
}

bool is_rigid(const Ledger& ledger, uint32_t slot) noexcept {
    return (state_of(ledger.slot(slot)).flags & slot_flag::kRigid) != 0;
}

namespace {

/// Checks that every client may lose its CPUs of `lost`. Each is checked once; the `concerned` clients are not checked
/// here.
int check_losers(const Ledger& ledger, SlotSet concerned, const CpuSet& lost, const PlanRules& rules,
                 drom_error* error) noexcept {
    for (uint32_t cpu = lost.first(); cpu < ledger.cpus(); cpu = lost.next(cpu + 1, ledger.cpus())) {
        const Owner::Name loser = prospective_owner(ledger, load_owner(ledger, cpu));
        if (loser == Owner::none() || concerned.has(loser.slot)) continue;
        concerned.add(loser.slot);
        const ClientText client(ledger, loser.slot);
        if (is_rigid(ledger, loser.slot))
            return fail(error, DROM_E_BUSY, "%s: CPU %u belongs to %s, which is rigid; choose other CPUs", rules.verb,
                        cpu, client.text);
        const CpuSet kept = wanted_cpus(ledger, loser) - lost;
        if (kept.count() < min_cpus(ledger, loser.slot))
            return fail(error, DROM_E_BUSY, "%s: CPU %u belongs to %s, which would be left with %s and needs %u; %s",
                        rules.verb, cpu, client.text, CountText(kept.count(), "CPU").text, min_cpus(ledger, loser.slot),
                        rules.drain ? "drain fewer CPUs, or end it first" : "take fewer");
    }
    return DROM_OK;
}

SlotSet only(Owner::Name client) noexcept {
    SlotSet one;
    one.add(client.slot);
    return one;
}

/// Checks that no CPU of `mask` belongs to a client that is not `concerned`. Called after the changes have been
/// planned: a client that joins before is seen here, and one that joins later makes the change fail.
int check_foreign(const Ledger& ledger, const SlotSet& concerned, const CpuSet& mask, const PlanRules& rules,
                  drom_error* error) noexcept {
    if (rules.take) return check_losers(ledger, concerned, mask, rules, error);
    for (uint32_t cpu = mask.first(); cpu < ledger.cpus(); cpu = mask.next(cpu + 1, ledger.cpus())) {
        const Owner word = load_owner(ledger, cpu);
        const Owner::Name owner = prospective_owner(ledger, word);
        if (owner == Owner::none() || concerned.has(owner.slot)) continue;
        const ClientText client(ledger, owner.slot);
        return fail(error, DROM_E_BUSY, "%s: CPU %u belongs to %s; use --take (DROM_TAKE) to move it", rules.verb, cpu,
                    client.text);
    }
    return DROM_OK;
}

/// Returns whether two clients use the CPU: the next owner was let in before the owner left. One word cannot say that a
/// third client waits for both. So nothing else can be planned for this CPU until the owner has released it.
bool is_shared(const Ledger& ledger, Owner word) noexcept {
    return word.is(Owner::kOffered) && word.is(Owner::kFast) && is_live(ledger, word.owner()) &&
           is_live(ledger, word.next());
}

int refuse_shared(const Ledger& ledger, uint32_t cpu, const char* verb, drom_error* error) noexcept {
    const ClientText client(ledger, load_owner(ledger, cpu).next().slot);
    return fail(error, DROM_E_BUSY,
                "%s: CPU %u is on its way to %s, which uses it already (DROM_FAST); try again when that is done", verb,
                cpu, client.text);
}

/// Returns the home word of a CPU whose owner is notified to leave. A home that names the owner itself is left from a
/// loan that is over: unless the CPU is lent again now, it must not come back.
uint64_t home_after(const Ledger& ledger, uint32_t cpu, Owner::Name owner, bool lend) noexcept {
    const Owner::Name home = home_owner(ledger, cpu);
    if (lend) return home == Owner::none() ? home_of(ledger, owner.slot) : 0;
    return home == owner ? kNoHome : 0;
}

/// Plans that the client gets this CPU.
void plan_gain(const Ledger& ledger, Owner::Name self, uint32_t cpu, Owner word, const PlanRules& rules,
               Plan& plan) noexcept {
    const bool owned = is_owned(ledger, word);
    if (is_shared(ledger, word)) {
        if (word.next() != self) plan.shared = cpu;
        return;
    }
    if (word.owner() == self) {
        if (!word.is(Owner::kOffered)) return;
        plan.add({cpu, DROM_EVENT_CANCEL, word, kept(word), 0});
        if (word.next() != Owner::none()) plan.touched.add(word.next().slot);
        return;
    }
    if (!owned) {
        plan.add({cpu, DROM_EVENT_CLAIM, word, given(word, self), 0});
        return;
    }
    plan.touched.add(word.owner().slot);
    const Owner offer = offered(word, self, rules.fast);
    if (word.next() == self && word.flags() == offer.flags()) return;
    if (word.next() != Owner::none()) plan.touched.add(word.next().slot);
    const uint64_t home = home_after(ledger, cpu, word.owner(), rules.give_back);
    plan.add({cpu, DROM_EVENT_OFFER, word, offer, home});
}

/// Plans that the client loses this CPU.
void plan_loss(const Ledger& ledger, Owner::Name self, uint32_t cpu, Owner word, Plan& plan) noexcept {
    if (word.owner() == self && !word.is(Owner::kOffered)) {
        const Owner::Name home = home_owner(ledger, cpu);
        const Owner::Name next = home == self ? Owner::none() : home;
        plan.add({cpu, DROM_EVENT_OFFER, word, offered(word, next), home_after(ledger, cpu, self, false)});
        return;
    }
    if (word.next() != self || !word.is(Owner::kOffered)) return;
    if (is_shared(ledger, word)) {
        plan.shared = cpu;
        return;
    }
    // Promised but not wanted any more: the owner that was notified to leave it may stay.
    plan.touched.add(word.owner().slot);
    plan.add({cpu, DROM_EVENT_CANCEL, word, kept(word), 0});
}

void plan_gains(const Ledger& ledger, Owner::Name self, const CpuSet& cpus, const PlanRules& rules,
                Plan& plan) noexcept {
    for (uint32_t cpu = cpus.first(); cpu < ledger.cpus(); cpu = cpus.next(cpu + 1, ledger.cpus()))
        plan_gain(ledger, self, cpu, load_owner(ledger, cpu), rules, plan);
}

void plan_losses(const Ledger& ledger, Owner::Name self, const CpuSet& cpus, Plan& plan) noexcept {
    for (uint32_t cpu = cpus.first(); cpu < ledger.cpus(); cpu = cpus.next(cpu + 1, ledger.cpus()))
        plan_loss(ledger, self, cpu, load_owner(ledger, cpu), plan);
}

// --- several clients at once ---

/// Returns the CPUs of `cpus` whose targets live.
CpuSet reachable(const Ledger& ledger, const CpuSet& cpus, const Owner::Name* targets) noexcept {
    CpuSet set{};
    for (uint32_t cpu = cpus.first(); cpu < ledger.cpus(); cpu = cpus.next(cpu + 1, ledger.cpus()))
        if (targets[cpu].slot < ledger.clients() && is_live(ledger, targets[cpu])) set.add(cpu);
    return set;
}

Owner::Name next_of(Owner word) noexcept { return word.is(Owner::kOffered) ? word.next() : word.owner(); }

/// Plans the loss of a CPU by one of the named clients. It could fall to another named client: its home, or the owner
/// that was to leave it for the loser. They are to have exactly their masks, so it becomes free instead.
void plan_loss_among(const Ledger& ledger, const SlotSet& named, uint32_t cpu, Owner word, Plan& plan) noexcept {
    const Owner::Name loser = prospective_owner(ledger, word);
    if (loser == Owner::none() || !named.has(loser.slot)) return;
    const uint32_t before = plan.count;
    plan_loss(ledger, loser, cpu, word, plan);
    if (plan.count == before) return;
    Change& change = plan.changes[before];
    if (next_of(change.to) == Owner::none() || !named.has(next_of(change.to).slot)) return;
    change = {cpu, DROM_EVENT_OFFER, word, offered(word, Owner::none()), kNoHome};
}

// --- clients that wait for one another ---

/// The owner words of all CPUs. Those of a usual node are on the stack, which may be small: 4 KiB.
struct Words {
    ShortList<Owner, 512> of;

    /// Reads the words. Returns false when memory is short.
    bool read(const Ledger& ledger) noexcept {
        for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu)
            if (!of.add(load_owner(ledger, cpu))) return false;
        return true;
    }
    void carry_out(const Plan& plan) noexcept {
        for (uint32_t i = 0; i < plan.count; ++i) of[plan.changes[i].cpu] = plan.changes[i].to;
    }
};

/// Returns whether the CPU comes to its next owner only when its owner has another one to go to. A notified owner has
/// one: a request without the CPU is posted to it.
bool is_held(const Ledger& ledger, Owner word) noexcept {
    if (word.is(Owner::kFast) || word.is(Owner::kNotified)) return false;  // mutant held
    return word.is(Owner::kOffered) && is_owned(ledger, word);
}

/// Returns the clients that can leave CPUs. Such a client keeps a CPU, or is given one: a CPU that is not held, or one
/// of another client that can leave CPUs.
SlotSet movable(const Ledger& ledger, Words& words) noexcept {
    SlotSet able;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
            const Owner word = words.of[cpu];
            const Owner::Name next = next_of(word);
            // A damaged table can name any slot.
            if (next.slot >= ledger.clients() || able.has(next.slot)) continue;
            if (is_held(ledger, word) && !able.has(word.owner().slot)) continue;
            able.add(next.slot);
            more = true;
        }
    }
    return able;
}

/// Returns a CPU that its owner never leaves, because the owner waits for itself, directly or through others. Owners
/// that could not leave `before` do not count. Returns UINT32_MAX when there is no such CPU.
uint32_t never_left(const Ledger& ledger, Words& words, const SlotSet& before) noexcept {
    const SlotSet able = movable(ledger, words);
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
        const uint32_t owner = words.of[cpu].owner().slot;
        if (is_held(ledger, words.of[cpu]) && before.has(owner) && !able.has(owner)) return cpu;
    }
    return UINT32_MAX;
}

/// Refuses a plan after which clients would wait for one another for ever.
int check_circle(const Ledger& ledger, const Plan& plan, const char* verb, const char* advice,
                 drom_error* error) noexcept {
    Words words;
    if (!words.read(ledger)) return fail(error, DROM_E_OS, "%s: out of memory", verb);
    const SlotSet before = movable(ledger, words);
    words.carry_out(plan);
    const uint32_t cpu = never_left(ledger, words, before);
    if (cpu == UINT32_MAX) return DROM_OK;  // mutant circle
    return fail(error, DROM_E_BUSY, "%s: CPUs would move in a circle: %s has nowhere to go before it leaves CPU %u; %s",
                verb, ClientText(ledger, words.of[cpu].owner().slot).text, cpu, advice);
}

constexpr const char* kKeepOne = "let one of them keep a CPU, or use --fast (DROM_FAST)";
constexpr const char* kLater = "try again when the requests before this one are done";
constexpr const char* kLaterOrFast = "try again when the requests before this one are done, or use --fast (DROM_FAST)";

}  // namespace

ClientText::ClientText(const Ledger& ledger, uint32_t slot) noexcept {
    Text sentence(text, sizeof text);
    if (slot >= ledger.clients()) {  // the word was read again, and has changed meanwhile
        sentence << "a client that has ended";
        return;
    }
    const Slot& s = ledger.slot(slot);
    sentence << "client " << s.client.pid.load(std::memory_order_relaxed) << " (";
    sentence.add(s.name, sizeof s.name - 1);
    if (s.job[0] != '\0') (sentence << ", job ").add(s.job, sizeof s.job - 1);
    sentence << ")";
}

int check_cpus(const Ledger& ledger, const CpuSet& mask, bool drained_too, const char* verb,
               drom_error* error) noexcept {
    if (mask.none()) return fail(error, DROM_E_INVAL, "%s: the mask is empty; a client keeps at least one CPU", verb);
    if (!mask.within(ledger.cpus()))
        return fail(error, DROM_E_NOCPU, "%s: CPU %u is beyond this table's %s", verb, mask.last(),
                    CountText(ledger.cpus(), "CPU").text);
    for (uint32_t cpu = mask.first(); cpu < ledger.cpus(); cpu = mask.next(cpu + 1, ledger.cpus())) {
        const Owner word = load_owner(ledger, cpu);
        if (word.is(Owner::kAbsent)) return fail(error, DROM_E_NOCPU, "%s: this node has no CPU %u", verb, cpu);
        if (word.is(Owner::kOffline)) return fail(error, DROM_E_NOCPU, "%s: CPU %u is offline", verb, cpu);
        if (!drained_too && word.is(Owner::kDrained))
            return fail(error, DROM_E_NOCPU, "%s: CPU %u is drained; drom restore gives it back", verb, cpu);
    }
    return DROM_OK;
}

int plan_mask(const Ledger& ledger, Owner::Name client, const CpuSet& mask, const PlanRules& rules, Plan& plan,
              drom_error* error) noexcept {
    if (const int status = check_cpus(ledger, mask, false, rules.verb, error); status != DROM_OK) return status;
    plan.count = 0;
    plan.touched.add(client.slot);
    // Gains first: an administrator that is killed between two words must not leave a client that was notified to leave
    // every CPU.
    plan_gains(ledger, client, mask, rules, plan);  // mutant foreign
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu)
        if (!mask.has(cpu)) plan_loss(ledger, client, cpu, load_owner(ledger, cpu), plan);
    if (const int status = check_foreign(ledger, only(client), mask, rules, error); status != DROM_OK) return status;
    if (plan.shared != kNoCpuShared) return refuse_shared(ledger, plan.shared, rules.verb, error);
    return check_circle(ledger, plan, rules.verb, kLaterOrFast, error);
}

int plan_masks(const Ledger& ledger, const CpuSet& cpus, const Owner::Name* targets, const PlanRules& rules, Plan& plan,
               drom_error* error) noexcept {
    plan.count = 0;
    const CpuSet asked = reachable(ledger, cpus, targets);
    if (asked.none()) return DROM_OK;
    SlotSet named;
    for (uint32_t cpu = asked.first(); cpu < ledger.cpus(); cpu = asked.next(cpu + 1, ledger.cpus()))
        named.add(targets[cpu].slot);
    if (const int status = check_cpus(ledger, asked, false, rules.verb, error); status != DROM_OK) return status;
    named.each([&](uint32_t slot) { plan.touched.add(slot); });
    // Gains first, as for one client.
    for (uint32_t cpu = asked.first(); cpu < ledger.cpus(); cpu = asked.next(cpu + 1, ledger.cpus()))
        plan_gain(ledger, targets[cpu], cpu, load_owner(ledger, cpu), rules, plan);
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu)
        if (!asked.has(cpu)) plan_loss_among(ledger, named, cpu, load_owner(ledger, cpu), plan);
    if (const int status = check_foreign(ledger, named, asked, rules, error); status != DROM_OK) return status;
    if (plan.shared != kNoCpuShared) return refuse_shared(ledger, plan.shared, rules.verb, error);
    return check_circle(ledger, plan, rules.verb, kKeepOne, error);
}

int plan_add(const Ledger& ledger, Owner::Name client, const CpuSet& cpus, const PlanRules& rules, Plan& plan,
             drom_error* error) noexcept {
    plan.count = 0;
    if (cpus.none()) return DROM_OK;
    if (const int status = check_cpus(ledger, cpus, false, rules.verb, error); status != DROM_OK) return status;
    plan.touched.add(client.slot);
    plan_gains(ledger, client, cpus, rules, plan);
    if (const int status = check_foreign(ledger, only(client), cpus, rules, error); status != DROM_OK) return status;
    if (plan.shared != kNoCpuShared) return refuse_shared(ledger, plan.shared, rules.verb, error);
    return check_circle(ledger, plan, rules.verb, kLaterOrFast, error);
}

int plan_remove(const Ledger& ledger, Owner::Name client, const CpuSet& cpus, const PlanRules& rules, Plan& plan,
                drom_error* error) noexcept {
    plan.count = 0;
    if (cpus.none()) return DROM_OK;
    const CpuSet has = wanted_cpus(ledger, client);
    if ((has - cpus).none())
        return fail(error, DROM_E_INVAL, "%s: nothing would be left of %s of %s; a client keeps at least one",
                    rules.verb, CpusText(has).text, ClientText(ledger, client.slot).text);
    plan.touched.add(client.slot);
    plan_losses(ledger, client, cpus, plan);
    if (plan.shared != kNoCpuShared) return refuse_shared(ledger, plan.shared, rules.verb, error);
    return check_circle(ledger, plan, rules.verb, kLater, error);
}

int plan_drain(const Ledger& ledger, const CpuSet& mask, const PlanRules& rules, Plan& plan,
               drom_error* error) noexcept {
    if (const int status = check_cpus(ledger, mask, true, rules.verb, error); status != DROM_OK) return status;
    plan.count = 0;
    for (uint32_t cpu = mask.first(); cpu < ledger.cpus(); cpu = mask.next(cpu + 1, ledger.cpus())) {
        const Owner word = load_owner(ledger, cpu);
        // Its owner may not have left yet; a second drain waits for that, too.
        if (word.is(Owner::kDrained) && word.owner() != Owner::none()) plan.touched.add(word.owner().slot);
        if (word.is(Owner::kDrained)) continue;
        if (is_shared(ledger, word)) return refuse_shared(ledger, cpu, rules.verb, error);
        const bool owned = is_owned(ledger, word);
        if (!owned) {
            plan.add({cpu, DROM_EVENT_OFFER, word, drained(word, owned), 0});
            continue;
        }
        plan.touched.add(word.owner().slot);
        const Owner::Name back = prospective_owner(ledger, word);
        const bool lend = back != Owner::none() && home_owner(ledger, cpu) == Owner::none();
        plan.add({cpu, DROM_EVENT_OFFER, word, drained(word, owned), lend ? home_of(ledger, back.slot) : 0});
    }
    PlanRules draining = rules;
    draining.drain = true;
    // Last, as check_foreign.
    if (const int status = check_losers(ledger, {}, mask, draining, error); status != DROM_OK) return status;
    return check_circle(ledger, plan, rules.verb, kLater, error);
}

int plan_restore(const Ledger& ledger, const CpuSet& mask, const PlanRules& rules, Plan& plan,
                 drom_error* error) noexcept {
    if (const int status = check_cpus(ledger, mask, true, rules.verb, error); status != DROM_OK) return status;
    plan.count = 0;
    for (uint32_t cpu = mask.first(); cpu < ledger.cpus(); cpu = mask.next(cpu + 1, ledger.cpus())) {
        const Owner word = load_owner(ledger, cpu);
        if (!word.is(Owner::kDrained)) continue;
        const Owner::Name home = home_owner(ledger, cpu);
        if (word.owner() != Owner::none()) plan.touched.add(word.owner().slot);
        if (home != Owner::none()) plan.touched.add(home.slot);
        const uint32_t event = home == Owner::none() ? DROM_EVENT_FREE : DROM_EVENT_CLAIM;
        plan.add({cpu, event, word, restored(word, home), 0});
    }
    return DROM_OK;
}

CpuSet givable_cpus(const Ledger& ledger, Owner::Name client) noexcept {
    CpuSet set = free_cpus(ledger);
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
        const Owner word = load_owner(ledger, cpu);
        const bool giving_up = word.owner() == client && word.is(Owner::kOffered) && word.next() == Owner::none();
        if (giving_up && !word.is(Owner::kDrained) && !word.is(Owner::kOffline)) set.add(cpu);
    }
    return set;
}

}  // namespace drom
