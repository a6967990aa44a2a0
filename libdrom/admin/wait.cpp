// SPDX-License-Identifier: BSD-3-Clause
// wait.cpp - an administrator waits until what it asked for is done.
#include "wait.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "confine_outside.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/descendants.hpp"
#include "shmem/futex.hpp"
#include "shmem/reconcile.hpp"

namespace drom {

namespace {

/// The request that an administrator waits for.
struct Goal {
    User user;
    uint64_t seq;  ///< this request must be released; 0: the newest
};

uint64_t needed_seq(const Ledger& ledger, const Goal& goal) noexcept {
    const uint64_t newest = ledger.mailbox(goal.user.slot).newest.load(std::memory_order_acquire);
    return goal.seq == 0 ? newest : std::min(goal.seq, newest);
}

/// Returns the client whose release is missing for `goal`; kNoSlot when none is. Other clients come first: the goal
/// waits for them.
uint32_t blocker(Table& table, const Goal& goal) noexcept {
    const Ledger& ledger = table.ledger;
    const Owner::Name client = name_of(ledger, goal.user.slot);
    bool own = false;
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
        const Owner word = load_owner(ledger, cpu);
        if (!word.is(Owner::kOffered)) continue;
        const bool awaited = word.next() == client && !word.is(Owner::kFast);
        if (awaited && word.owner().slot < ledger.clients()) return word.owner().slot;
        own |= word.owner() == client;
    }
    const uint64_t needed = needed_seq(ledger, goal);
    return own || released_seq(ledger, table.pages, goal.user.slot) < needed ? goal.user.slot : kNoSlot;
}

bool has_joined(Pages& pages, uint32_t slot) noexcept {
    const Page* page = pages.view(slot);
    return page != nullptr && page->joined.load() != 0;
}

/// Returns whether the client is a child of this launcher (drom run), which waits before it lets the child start: no
/// program needs a grace period.
bool is_own_child(Table& table, uint32_t slot) noexcept {
    const Slot& entry = table.ledger.slot(slot);
    return (state_of(entry).flags & slot_flag::kTree) != 0 && !has_joined(table.pages, slot) &&
           read_identity(entry.launcher) == self();
}

/// Sleeps while the client's acknowledged number is `seq`, until it acknowledges or `until`.
void sleep_on(Table& table, uint32_t slot, bool resized, uint64_t seq, uint64_t until) noexcept {
    const Page* page = table.pages.view(slot);
    const Half nothing{0};
    if (page == nullptr || !table.ledger.writable) {
        futex_wait(&nothing, 0, until);
        return;
    }
    Half& waiters = table.ledger.mailbox(slot).ack_waiters;
    waiters.fetch_add(1);
    // The kernel compares the word itself after the registration, so an acknowledgement in between is not missed.
    const Word& word = resized ? page->resized : page->released;
    futex_wait(futex_half(word), static_cast<uint32_t>(seq), until);
    waiters.fetch_sub(1);
}

int await_resized(Table& table, const Goal& goal, uint64_t deadline, const char* verb, drom_error* error) noexcept {
    const uint32_t slot = goal.user.slot;
    const uint64_t needed = needed_seq(table.ledger, goal);
    for (;;) {
        const Page* page = table.pages.view(slot);
        const uint64_t resized = page != nullptr ? page->resized.load() : 0;
        if (resized >= needed) return succeed(error);
        table.pages.wake_held();
        if (is_abandoned(table.ledger.slot(slot)) && !pass_on(table.ledger, table.path, slot))
            return fail(error, DROM_E_NOPROC, "%s: the client has ended meanwhile", verb);
        if (page == nullptr || now_ns() >= deadline) break;
        // The client may end without a word: look again now and then.
        constexpr uint64_t kLookAgain = 100 * kMillisecond;
        sleep_on(table, slot, true, resized, std::min(deadline, now_ns() + kLookAgain));
    }
    const uint32_t pid = table.ledger.slot(slot).client.pid.load();
    if (!has_joined(table.pages, slot))
        return fail(
            error, DROM_PENDING,
            "%s: released, but not resized: no entry point has answered in it, so its threads stay as many as they "
            "are; drom explain %u says more",
            verb, pid);
    return fail(error, DROM_PENDING,
                "%s: released, but not resized yet: its next safe point has not come; drom explain %u says more", verb,
                pid);
}

/// Reconciles the client's words. Returns false when the client has ended.
bool reconcile_client(Table& table, const User& user, uint64_t deadline) noexcept {
    const AdminLock lock(table.ledger.header(), deadline);
    if (state_of(table.ledger.slot(user.slot)).generation != user.generation || !is_live(table.ledger, user.name()))
        return false;
    SlotSet touched;
    touched.add(user.slot);
    reconcile(table.ledger, table.pages, touched);
    return true;
}

int await(Table& table, const Goal& goal, const Options& options, const char* verb, drom_error* error) noexcept {
    const uint64_t deadline = deadline_in_ms(options.timeout_ms);
    const bool never = options.has(DROM_NEVER_CONFINE);
    constexpr uint64_t kFirstTry = 100;  // milliseconds; meanwhile no other client is woken
    bool able = true;                    // to move threads from here
    for (;;) {
        if (!reconcile_client(table, goal.user, deadline))
            return fail(error, DROM_E_NOPROC, "%s: the client has ended meanwhile", verb);
        const uint32_t slot = blocker(table, goal);
        if (slot == kNoSlot) break;
        const uint64_t now = now_ns();
        if (now >= deadline) return still_pending(table, slot, options, verb, error);
        const Page* page = table.pages.view(slot);
        const uint64_t acked = page != nullptr ? page->released.load() : 0;
        const uint64_t posted = table.ledger.mailbox(slot).posted_ns.load(std::memory_order_relaxed);
        // No process answers for one that never joined: a grace period would only be lost time.
        const uint64_t grace = has_joined(table.pages, slot) ? posted + options.grace_ms * kMillisecond : 0;
        const bool may_confine = able && (!never || is_own_child(table, slot));
        const bool held = table.pages.is_held(slot);
        if (may_confine && (now >= grace || held)) {
            const bool done = confine_client(table, slot, held ? deadline_in_ms(kFirstTry) : deadline);
            able = done || held;
            if (!done) table.pages.wake_held();
            continue;
        }
        table.pages.wake_held();  // from here on the clients do it themselves
        sleep_on(table, slot, false, acked, may_confine ? std::min(grace, deadline) : deadline);
    }
    return options.has(DROM_WAIT_RESIZED) ? await_resized(table, goal, deadline, verb, error) : succeed(error);
}

}  // namespace

int still_pending(Table& table, uint32_t slot, const Options& options, const char* verb, drom_error* error) noexcept {
    if (error == nullptr) return DROM_PENDING;
    error->status = DROM_PENDING;
    const uint32_t pid = table.ledger.slot(slot).client.pid.load();
    Text text(error->text, sizeof error->text);
    text << verb << ": posted; " << ClientText(table.ledger, slot).text << " has not released its CPUs yet; ";
    if (options.has(DROM_NEVER_CONFINE) && !has_joined(table.pages, slot))
        text << "it has not joined, so it is only moved from outside, and --grace never (DROM_NEVER_CONFINE) forbids "
                "that; drom wait "
             << pid << " --grace now does it";
    else
        text << "drom explain " << pid << " says why";
    return DROM_PENDING;
}

int finish(Table& table, const User& user, const Options& options, const char* verb, drom_error* error) noexcept {
    if (options.waits()) return await(table, {user, 0}, options, verb, error);
    const uint32_t missing = blocker(table, {user, 0});
    return missing == kNoSlot ? succeed(error) : still_pending(table, missing, options, verb, error);
}

int finish_all(Table& table, const SlotSet& slots, const Options& options, const char* verb,
               drom_error* error) noexcept {
    const uint64_t deadline = deadline_in_ms(options.timeout_ms);
    int first = succeed(error);
    slots.each([&](uint32_t slot) {
        if (slot >= table.ledger.clients() || !is_live(table.ledger, name_of(table.ledger, slot))) return;
        Options rest = options;
        const uint64_t now = now_ns();
        rest.timeout_ms = now < deadline ? static_cast<uint32_t>((deadline - now) / kMillisecond) + 1 : 1;
        const User user{slot, state_of(table.ledger.slot(slot)).generation};
        const int status = finish(table, user, rest, verb, first == DROM_OK ? error : nullptr);
        if (first == DROM_OK && status != DROM_E_NOPROC) first = status;
    });
    return first == DROM_OK ? succeed(error) : first;
}

int wait_for(Table& table, uint32_t pid, uint64_t seq, const Options& options, drom_error* error) noexcept {
    const VerbText verb("wait", pid);
    if (const int status = table.writable("wait", error); status != DROM_OK) return status;
    User user{};
    if (const int status = table.find(pid, verb.text, user, error); status != DROM_OK) return status;
    const uint64_t newest = table.ledger.mailbox(user.slot).newest.load(std::memory_order_acquire);
    if (seq > newest)
        return fail(error, DROM_E_INVAL, "%s: request %llu has not been posted; the newest is %llu", verb.text,
                    static_cast<unsigned long long>(seq), static_cast<unsigned long long>(newest));
    return await(table, {user, seq}, options, verb.text, error);
}

}  // namespace drom
