// SPDX-License-Identifier: BSD-3-Clause
// wait.cpp - an administrator waits until what it asked for is done.
#include "table.hpp"

#include <algorithm>
#include <cstdio>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/futex.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

namespace drom {

/// Returns the client whose release is missing for `goal`; kNoSlot when none is. Other clients come first: the goal
/// waits for them.
uint32_t Table::blocker(const Goal& goal) noexcept {
    const Owner::Name who = name_of(ledger_, goal.slot);
    bool own = false;
    for (uint32_t cpu = 0; cpu < ledger_.cpus(); ++cpu) {
        const Owner word = load_owner(ledger_, cpu);
        if (!word.is(Owner::kLeaving)) continue;
        const bool awaited = word.next() == who && !word.is(Owner::kFast);
        if (awaited && word.owner().slot < ledger_.clients()) return word.owner().slot;
        own |= word.owner() == who;
    }
    const uint64_t newest = ledger_.mailbox(goal.slot).newest.load(std::memory_order_acquire);
    const uint64_t needed = goal.seq == 0 ? newest : std::min(goal.seq, newest);
    return own || released_seq(ledger_, pages_, goal.slot) < needed ? goal.slot : kNoSlot;
}

/// Waits when the caller asked to; without a wait flag, says what is pending.
int Table::finish(const Goal& goal, const Options& options, const char* verb, drom_error* error) noexcept {
    if (!options.has(DROM_WAIT_RELEASED | DROM_WAIT_RESIZED)) {
        const uint32_t missing = blocker(goal);
        return missing == kNoSlot ? succeed(error) : still_pending(missing, options, verb, error);
    }
    Goal resized = goal;
    resized.resized = options.has(DROM_WAIT_RESIZED);
    return await(resized, options, verb, error);
}

/// Finishes for several clients. Returns the first thing that is missing, after waiting for all of them. They share one
/// deadline; a client that has ended meanwhile has released everything.
int Table::finish_all(const SlotSet& slots, const Options& options, const char* verb, drom_error* error) noexcept {
    const uint64_t deadline = deadline_in_ms(options.timeout_ms);
    int first = succeed(error);
    slots.each([&](uint32_t slot) {
        if (slot >= ledger_.clients() || !is_live(ledger_, name_of(ledger_, slot))) return;
        Options rest = options;
        const uint64_t now = now_ns();
        rest.timeout_ms = now < deadline ? static_cast<uint32_t>((deadline - now) / kMillisecond) + 1 : 1;
        const Goal goal{slot, state_of(ledger_.slot(slot)).generation, 0, options.has(DROM_WAIT_RESIZED)};
        const int status = finish(goal, rest, verb, first == DROM_OK ? error : nullptr);
        if (first == DROM_OK && status != DROM_E_NOPROC) first = status;
    });
    return first == DROM_OK ? succeed(error) : first;
}

bool Table::has_joined(uint32_t slot) noexcept {
    const Page* page = pages_.view(slot);
    return page != nullptr && page->joined.load() != 0;
}

/// Returns whether the client is a child of this launcher (drom run), which waits before it lets the child start: no
/// program needs a grace period.
bool Table::is_own_child(uint32_t slot) noexcept {
    const Slot& entry = ledger_.slot(slot);
    return (state_of(entry).flags & slot_flag::kTree) != 0 && !has_joined(slot) && read_who(entry.launcher) == self();
}

int Table::still_pending(uint32_t slot, const Options& options, const char* verb, drom_error* error) noexcept {
    if (error == nullptr) return DROM_PENDING;
    error->status = DROM_PENDING;
    const uint32_t pid = ledger_.slot(slot).client.pid.load();
    Text text(error->text, sizeof error->text);
    text << verb << ": posted; " << ClientText(ledger_, slot).text << " has not released its CPUs yet; ";
    if (options.has(DROM_NEVER_CONFINE) && !has_joined(slot))
        text << "it has not joined, so it is only moved from outside, and --grace never (DROM_NEVER_CONFINE) forbids "
                "that; drom wait "
             << pid << " --grace now does it";
    else
        text << "drom explain " << pid << " says why";
    return DROM_PENDING;
}

int Table::await(const Goal& goal, const Options& options, const char* verb, drom_error* error) noexcept {
    const uint64_t deadline = deadline_in_ms(options.timeout_ms);
    const bool never = options.has(DROM_NEVER_CONFINE);
    bool able = true;  // to move threads from here
    for (;;) {
        {
            const AdminLock lock(ledger_.header(), deadline);
            if (state_of(ledger_.slot(goal.slot)).generation != goal.generation ||
                !is_live(ledger_, name_of(ledger_, goal.slot)))
                return fail(error, DROM_E_NOPROC, "%s: the client has ended meanwhile", verb);
            SlotSet touched;
            touched.add(goal.slot);
            reconcile(ledger_, pages_, touched);
        }
        const uint32_t slot = blocker(goal);
        if (slot == kNoSlot) break;
        const uint64_t now = now_ns();
        if (now >= deadline) return still_pending(slot, options, verb, error);
        const Page* page = pages_.view(slot);
        const uint64_t acked = page != nullptr ? page->released.load() : 0;
        const uint64_t posted = ledger_.mailbox(slot).posted_ns.load(std::memory_order_relaxed);
        // No process answers for one that never joined: a grace period would only be lost time.
        const uint64_t grace = has_joined(slot) ? posted + options.grace_ms * kMillisecond : 0;
        const bool may_confine = able && (!never || is_own_child(slot));
        if (may_confine && (now >= grace || pages_.is_held(slot))) {
            able = confine_client(slot);
            continue;
        }
        pages_.wake_held();  // from here on the clients do it themselves
        sleep_on(slot, false, acked, may_confine ? std::min(grace, deadline) : deadline);
    }
    return goal.resized ? await_resized(goal, deadline, verb, error) : succeed(error);
}

int Table::await_resized(const Goal& goal, uint64_t deadline, const char* verb, drom_error* error) noexcept {
    const uint64_t newest = ledger_.mailbox(goal.slot).newest.load(std::memory_order_acquire);
    const uint64_t needed = goal.seq == 0 ? newest : std::min(goal.seq, newest);
    for (;;) {
        const Page* page = pages_.view(goal.slot);
        const uint64_t resized = page != nullptr ? page->resized.load() : 0;
        if (resized >= needed) return succeed(error);
        pages_.wake_held();
        if (is_abandoned(ledger_.slot(goal.slot)) && !pass_on(ledger_, path_, goal.slot))
            return fail(error, DROM_E_NOPROC, "%s: the client has ended meanwhile", verb);
        if (page == nullptr || now_ns() >= deadline) break;
        // The client may end without a word: look again now and then.
        constexpr uint64_t kLookAgain = 100 * kMillisecond;
        sleep_on(goal.slot, true, resized, std::min(deadline, now_ns() + kLookAgain));
    }
    const uint32_t pid = ledger_.slot(goal.slot).client.pid.load();
    const Page* page = pages_.view(goal.slot);
    if (page == nullptr || page->joined.load() == 0)
        return fail(error, DROM_PENDING,
                    "%s: released, but not resized: no door has answered in it, so its threads stay as many as they "
                    "are; drom explain %u says more",
                    verb, pid);
    return fail(error, DROM_PENDING,
                "%s: released, but not resized yet: its next safe point has not come; drom explain %u says more", verb,
                pid);
}

/// Sleeps while the client's acknowledged number is `seq`, until it acknowledges or `until`.
void Table::sleep_on(uint32_t slot, bool resized, uint64_t seq, uint64_t until) noexcept {
    const Page* page = pages_.view(slot);
    const Half nothing{0};
    if (page == nullptr || !ledger_.writable) {
        futex_wait(&nothing, 0, until);
        return;
    }
    Half& waiters = ledger_.mailbox(slot).ack_waiters;
    waiters.fetch_add(1);
    // The kernel compares the word itself after the registration, so an acknowledgement in between is not missed.
    const Word& word = resized ? page->resized : page->released;
    futex_wait(futex_half(word), static_cast<uint32_t>(seq), until);
    waiters.fetch_sub(1);
}

int Table::wait(uint32_t pid, uint64_t seq, const Options& options, drom_error* error) noexcept {
    char verb[48];
    snprintf(verb, sizeof verb, "drom: wait %u", pid);
    if (const int status = writable("wait", error); status != DROM_OK) return status;
    User user{};
    if (const int status = find(pid, verb, user, error); status != DROM_OK) return status;
    const uint64_t newest = ledger_.mailbox(user.slot).newest.load(std::memory_order_acquire);
    if (seq > newest)
        return fail(error, DROM_E_INVAL, "%s: request %llu has not been posted; the newest is %llu", verb,
                    static_cast<unsigned long long>(seq), static_cast<unsigned long long>(newest));
    return await({user.slot, user.generation, seq, options.has(DROM_WAIT_RESIZED)}, options, verb, error);
}

}  // namespace drom
