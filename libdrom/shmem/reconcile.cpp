// SPDX-License-Identifier: BSD-3-Clause
// reconcile.cpp - derives everything else from the owner words.
#include "reconcile.hpp"

#include "base/clock.hpp"
#include "descendants.hpp"
#include "elsewhere.hpp"
#include "events.hpp"
#include "ledger.hpp"
#include "slots.hpp"

namespace drom {

namespace {

void note(const Ledger& ledger, uint32_t type, uint32_t slot, uint32_t cpu) noexcept {
    record(ledger, {.type = type, .slot = slot, .cpu = cpu, .pid = pid_of(ledger, slot)});
}

/// One pass over the words. It remembers the last owner's answer, because neighbours usually share it.
class Reconciliation {
public:
    Reconciliation(const Ledger& ledger, Pages& pages, SlotSet& touched) noexcept
        : ledger_(ledger), pages_(pages), touched_(touched) {}

    bool pass() noexcept {
        bool changed = false;
        for (uint32_t cpu = 0; cpu < ledger_.cpus(); ++cpu) {
            const Owner word = load_owner(ledger_, cpu);
            if (word.owner() == Owner::none() && !word.is(Owner::kOffered) && !word.is(Owner::kDrained)) {
                if (has_home(ledger_, cpu)) changed |= go_home(cpu, word);  // mutant go-home
                continue;
            }
            changed |= step(cpu, word);
        }
        return changed;
    }

private:
    bool step(uint32_t cpu, Owner word) noexcept {
        const Owner::Name owner = word.owner();
        if (owner != Owner::none() && !is_live(ledger_, owner)) return leave_dead(cpu, word);  // mutant dead-owner
        if (!word.is(Owner::kOffered)) return false;
        if (word.next() != Owner::none() && !is_live(ledger_, word.next()))  // mutant dead-next
            return next_died(cpu, word);
        if (owner != Owner::none() && !has_released(owner, cpu, word.is(Owner::kNotified))) {
            touched_.add(owner.slot);
            return false;
        }
        return hand_over(cpu, word);
    }

    /// Takes the CPU from a dead owner; the next owner gets it.
    bool leave_dead(uint32_t cpu, Owner word) noexcept {
        const bool promised = word.is(Owner::kOffered) && is_live(ledger_, word.next());
        const Owner::Name next = promised ? word.next() : Owner::none();
        return give(cpu, word, next);
    }

    /// Acts on the death of a next owner. When the CPU was only lent, the owner keeps it; otherwise it becomes free
    /// when released.
    bool next_died(uint32_t cpu, Owner word) noexcept {
        const Owner::Name owner = word.owner();
        const bool lent = owner != Owner::none() && home_owner(ledger_, cpu) == owner;
        if (!change_owner(ledger_, cpu, word, lent ? kept(word) : offered(word, Owner::none())) || !lent) return true;
        change_home(ledger_, cpu, kNoHome);
        note(ledger_, DROM_EVENT_CANCEL, owner.slot, cpu);
        touched_.add(owner.slot);
        return true;
    }

    bool hand_over(uint32_t cpu, Owner word) noexcept { return give(cpu, word, word.next()); }

    bool give(uint32_t cpu, Owner word, Owner::Name next) noexcept {
        if (!change_owner(ledger_, cpu, word, given(word, next))) return true;
        if (next == Owner::none()) {
            note(ledger_, DROM_EVENT_FREE, word.owner().slot, cpu);
            return true;
        }
        if (home_owner(ledger_, cpu) == next || remembered_owner(ledger_, cpu) == next)
            change_home(ledger_, cpu, kNoHome);
        note(ledger_, DROM_EVENT_ACCEPT, next.slot, cpu);
        touched_.add(next.slot);
        return true;
    }

    /// Returns a free CPU to its home, if that still lives.
    bool go_home(uint32_t cpu, Owner word) noexcept {
        const Owner::Name home = home_owner(ledger_, cpu);
        if (home == Owner::none()) {
            if (remembered_owner(ledger_, cpu) == Owner::none()) change_home(ledger_, cpu, kNoHome);
            return false;
        }
        return give(cpu, word, home);
    }

    bool has_released(Owner::Name owner, uint32_t cpu, bool notified) noexcept {
        if (!(owner == asked_)) {
            asked_ = owner;
            Request posted;
            const bool acked = read_request(ledger_, owner.slot, posted) &&
                               released_seq(ledger_, pages_, owner.slot) == posted.seq &&  // mutant released-seq
                               is_believed(owner, posted);
            kept_ = acked ? posted.mask : CpuSet::empty();
            all_released_ = acked;
        }
        return notified && all_released_ && !kept_.has(cpu);  // mutant notified
    }

    /// Returns whether the client's release is believed. In node mode a job writes it into memory of its own, so its
    /// threads are looked at.
    bool is_believed(Owner::Name owner, const Request& posted) noexcept {
        if (!ledger_.node_mode() || ledger_.virtual_node()) return true;  // mutant believed
        return confined_seq(ledger_, owner.slot) == posted.seq ||
               is_within(ledger_, pages_.path(), owner.slot, posted.mask);
    }

    const Ledger& ledger_;
    Pages& pages_;
    SlotSet& touched_;
    Owner::Name asked_ = Owner::none();
    CpuSet kept_{};
    bool all_released_ = false;
};

/// The CPUs that an owner word tells a client to leave, but no request does yet; and the stamps of those words.
struct Unnotified {
    CpuSet cpus{};
    uint16_t stamps[kMaxCpus];

    Unnotified(const Ledger& ledger, Owner::Name client) noexcept {
        for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
            const Owner word = load_owner(ledger, cpu);
            if (word.owner() != client || !word.is(Owner::kOffered) || word.is(Owner::kNotified)) continue;
            cpus.add(cpu);
            stamps[cpu] = static_cast<uint16_t>(word.stamp());
        }
    }
};

/// Marks only words that have not changed since: an older request does not tell of an offer that was withdrawn and made
/// again.
///
/// A stamp wraps after 1024 changes. An administrator that was stopped for exactly so many takes a later offer to leave
/// for the earlier one.
void mark_notified(const Ledger& ledger, Owner::Name client, const Unnotified& unnotified,
                   const CpuSet& posted) noexcept {
    const CpuSet cpus = unnotified.cpus - posted;
    for (uint32_t cpu = cpus.first(); cpu < ledger.cpus(); cpu = cpus.next(cpu + 1, ledger.cpus())) {
        const Owner word = load_owner(ledger, cpu);
        const bool leaves = word.owner() == client && word.is(Owner::kOffered);
        if (word.stamp() == unnotified.stamps[cpu] && leaves)  // mutant stamp
            change_owner(ledger, cpu, word, notified(word));
    }
}

/// Posts the mask that the words spell, unless it is posted already. Returns whether a request was posted, by this
/// call or by others that overtook it each time.
bool post_words(const Ledger& ledger, Pages& pages, uint32_t slot) noexcept {
    const Owner::Name client = name_of(ledger, slot);
    if (!is_live(ledger, client)) return false;
    for (int attempt = 0; attempt < 8; ++attempt) {
        const uint64_t base = ledger.mailbox(slot).newest.load(std::memory_order_acquire);
        const Unnotified unnotified(ledger, client);
        const CpuSet mask = usable_cpus(ledger, client);
        if (mask.none()) return false;  // a client without any CPU continues as it is and gets no request
        Request posted;                 // half a kilobyte that read_request fills
        const bool posted_already = read_request(ledger, slot, posted) && posted.seq == base && posted.mask == mask;
        if (posted_already && unnotified.cpus.none()) return false;  // mutant posted
        if (!post_request(ledger, client, base, mask)) continue;     // mutant post
        record(ledger, {.type = DROM_EVENT_POST,
                        .slot = slot,
                        .seq = base + 1,
                        .value = mask.count(ledger.cpus()),
                        .pid = pid_of(ledger, slot),
                        .time_ns = ledger.mailbox(slot).posted_ns.load(std::memory_order_relaxed)});
        mark_notified(ledger, client, unnotified, mask);
        pages.wake_client(slot);
        return true;
    }
    return true;
}

bool post_all(const Ledger& ledger, Pages& pages, const SlotSet& touched) noexcept {
    bool posted = false;
    touched.each([&](uint32_t slot) {
        if (slot < ledger.clients()) posted |= post_words(ledger, pages, slot);
    });
    return posted;
}

}  // namespace

bool reconcile(const Ledger& ledger, Pages& pages, SlotSet touched) noexcept {
    bool changed = false;
    // Each pass can uncover work for one more (a hand-over to a client that has died since). Every change brings a word
    // nearer to a state that needs none. The next administrator does what is left after four passes.
    for (int round = 0; round < 4 && Reconciliation(ledger, pages, touched).pass(); ++round) changed = true;
    return post_all(ledger, pages, touched) || changed;
}

bool reconcile_all(const Ledger& ledger, Pages& pages) noexcept {
    SlotSet living;
    for (uint32_t slot = 0; slot < ledger.clients(); ++slot)
        if (is_live(ledger, name_of(ledger, slot))) living.add(slot);
    return reconcile(ledger, pages, living);
}

}  // namespace drom
