// SPDX-License-Identifier: BSD-3-Clause
// confine_outside.cpp - an administrator moves the threads of a client that does not do it by itself.
#include "table.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/descendants.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/events.hpp"
#include "shmem/slots.hpp"

namespace drom {

/// Returns the client's last release, by the client or from outside. A request in between may have been replaced before
/// any thread moved for it.
Request Table::released_before(uint32_t slot, uint64_t seq) noexcept {
    const Page* page = pages_.view(slot);
    const uint64_t own = page != nullptr ? page->released.load() : 0;
    Request last;
    if (read_outside(ledger_, slot, last) && last.seq >= std::min(own, seq)) return last;
    last = {own, CpuSet::empty()};
    if (page != nullptr && page->joined.load() != 0 && read_applied(ledger_, *page, last.mask)) return last;
    last.mask = CpuSet::empty();
    const RequestHalf& older = ledger_.half(slot, seq - 1);
    for (uint32_t i = 0; seq > 1 && i < ledger_.mask_words(); ++i) last.mask.words[i] = older.words[i].load();
    return last;
}

/// Returns the masks that the client's threads follow.
Origin Table::origin_before(uint32_t slot, uint64_t seq) noexcept {
    const Request last = released_before(slot, seq);
    return {last.mask, begun_since(ledger_, slot, last, seq), &ledger_.mailbox(slot).newest, seq};
}

/// Moves the client's threads to the mask of `posted`, and on to the mask of any request that is posted meanwhile. The
/// client, or another administrator, may have obeyed the newer request while this process was held up. Then the move
/// for the older one put threads back onto CPUs that now belong to other clients.
Confined Table::move_threads(User user, ClientTree& tree, Request& posted) noexcept {
    Origin origin = origin_before(user.slot, posted.seq);
    const uint64_t deadline = deadline_in_ms(100);
    for (;;) {
        note_begun(ledger_, user.slot, user.generation, posted.seq);
        const StandOn place(pages_.is_held(user.slot) ? origin.released - posted.mask : CpuSet::empty());
        const Confined done = tree.confine(origin, posted.mask, deadline);
        Request newer;
        if (done.status != DROM_OK || !read_request(ledger_, user.slot, newer) || newer.seq == posted.seq) return done;
        // After the reading: a request to the slot's next user is not for this process.
        if (state_of(ledger_.slot(user.slot)).generation != user.generation) return done;
        origin = {posted.mask, posted.mask, origin.newest, newer.seq};
        posted = newer;
        if (now_ns() >= deadline) return {DROM_E_TIMEOUT, {}, 0, 0};
    }
}

/// Sets the affinity of the client's threads from outside. Returns false when that is not possible: then only the
/// client itself can release.
bool Table::confine_client(uint32_t slot) noexcept {
    const uint64_t seen = ledger_.slot(slot).state.load();
    if (!unpack_state(seen).takes_part()) return true;  // what is recorded may be about the slot's former user
    Request posted{};
    if (!read_request(ledger_, slot, posted)) return false;
    const Who who = read_who(ledger_.slot(slot).client);
    ClientTree tree(ledger_, path_, slot, who.pid);  // open before the verdict: then no other process is moved
    // They were read one after another. If the slot has another user by now, the request was not for that user.
    const uint32_t generation = unpack_state(seen).generation;
    if (state_of(ledger_.slot(slot)).generation != generation) return true;
    const Verdict life = confined_.verdict(who);
    if (life == Verdict::kDead) {
        const AdminLock lock(ledger_.header(), deadline_in_ms(100));
        if (is_abandoned(ledger_.slot(slot)) && !pass_on(ledger_, path_, slot)) {
            retire(ledger_, pages_, path_, slot, seen, DROM_EVENT_REAP);
            return true;
        }
        // Its launcher lives and may start another program in its place, or descendants are left.
        tree.forget_process();
    } else if (life == Verdict::kUnknown) {
        return false;
    }
    Confined done{DROM_OK, {}, 0, 0};
    if (!ledger_.virtual_node()) done = move_threads({slot, generation}, tree, posted);
    if (done.status == DROM_E_NOPROC) return true;  // it ended just now; the next look finds it dead
    if (done.status != DROM_OK) return false;
    if (state_of(ledger_.slot(slot)).generation != generation) return true;  // the slot has another user
    note_outside(ledger_, slot, generation, {posted.seq, posted.mask - done.refused});
    record(ledger_,
           {.type = DROM_EVENT_CONFINED, .slot = slot, .seq = posted.seq, .value = done.threads, .pid = who.pid});
    return true;
}

/// Confines the client to its newest request again: a process that has not joined may have left its CPUs by an affinity
/// call since.
bool Table::confine_again(const User& user) noexcept {
    Request posted{};
    if (ledger_.virtual_node() || !read_request(ledger_, user.slot, posted)) return true;
    const Who who = read_who(ledger_.slot(user.slot).client);
    ClientTree tree(ledger_, path_, user.slot, who.pid);
    const Verdict life = confined_.verdict(who);
    if (life == Verdict::kUnknown || state_of(ledger_.slot(user.slot)).generation != user.generation) return true;
    if (life == Verdict::kDead) tree.forget_process();
    const Confined done = move_threads(user, tree, posted);
    return done.status == DROM_OK || done.status == DROM_E_NOPROC;
}

/// Moves clients without an agent that got CPUs back, as no other process does. Only those that were moved off CPUs
/// before: other reservations, such as one whose program has not started, do not concern a client that leaves.
void Table::move_agentless() noexcept {
    for (uint32_t slot = 0; slot < ledger_.clients(); ++slot) {
        if (!is_live(ledger_, name_of(ledger_, slot))) continue;
        const Page* page = pages_.view(slot);
        const bool joined = page != nullptr && page->joined.load() != 0;
        const uint64_t newest = ledger_.mailbox(slot).newest.load(std::memory_order_acquire);
        const uint64_t released = released_seq(ledger_, pages_, slot);
        if (!joined && released != 0 && released < newest) confine_client(slot);
    }
}

}  // namespace drom
