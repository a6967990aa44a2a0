// SPDX-License-Identifier: BSD-3-Clause
// confine_outside.cpp - an administrator moves the threads of a client that does not do it by itself.
#include "confine_outside.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/descendants.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/events.hpp"

namespace drom {

namespace {

/// Returns the client's last release, by the client or from outside. A request in between may have been replaced before
/// any thread moved for it.
Request released_before(Table& table, uint32_t slot, uint64_t seq) noexcept {
    const Page* page = table.pages.view(slot);
    const uint64_t own = page != nullptr ? page->released.load() : 0;
    Request last;
    if (read_outside(table.ledger, slot, last) && last.seq >= std::min(own, seq)) return last;
    last = {own, CpuSet::empty()};
    if (page != nullptr && page->joined.load() != 0 && read_applied(table.ledger, *page, last.mask)) return last;
    last.mask = CpuSet::empty();
    const RequestHalf& older = table.ledger.half(slot, seq - 1);
    for (uint32_t i = 0; seq > 1 && i < table.ledger.mask_words(); ++i) last.mask.words[i] = older.words[i].load();
    return last;
}

/// Returns the masks that the client's threads follow.
Origin origin_after(Table& table, uint32_t slot, const Request& last, uint64_t seq) noexcept {
    return {last.mask, begun_since(table.ledger, slot, table.pages.view(slot), last, seq),  // mutant begun-outside
            &table.ledger.mailbox(slot).newest, seq};
}

/// Moves the client's threads to the mask of `posted`, and on to the mask of any request that is posted meanwhile. The
/// client, or another administrator, may have obeyed the newer request while this process was held up. Then the move
/// for the older one put threads back onto CPUs that now belong to other clients.
Confined move_threads(Table& table, const User& user, ClientTree& tree, Request& posted, uint64_t deadline) noexcept {
    Request last = released_before(table, user.slot, posted.seq);
    // Where that is this request, an attempt to repeat it may have failed.
    if (last.seq == posted.seq) --last.seq;
    Origin origin = origin_after(table, user.slot, last, posted.seq);
    Attempts attempts{};
    origin.attempts = &attempts;
    for (;;) {
        attempts.add(posted.mask);
        // Since the last release: the forks that an overtaken attempt waited for may still be under way.
        Moves moves(table.ledger, user.slot, table.pages.view(user.slot), last.seq);
        note_begun(table.ledger, user.slot, user.generation, posted.seq);  // mutant begun
        const StandOn place(table.pages.is_held(user.slot) ? origin.released - posted.mask : CpuSet::empty());
        const Confined done = tree.confine(origin, posted.mask, deadline, moves);
        attempts.add(posted.mask - done.refused);
        const bool ended = done.status != DROM_OK && done.status != DROM_E_TIMEOUT;
        Request newer;
        if (ended || !read_request(table.ledger, user.slot, newer) || newer.seq == posted.seq) return done;
        // After the reading: a request to the slot's next user is not for this process.
        if (state_of(table.ledger.slot(user.slot)).generation != user.generation) return done;
        if (done.status == DROM_OK) last.seq = posted.seq;  // mutant not-released
        origin.seq = newer.seq;
        posted = newer;
        deadline =
            std::max(deadline, deadline_in_ms(100));  // the threads must not stay where the older request had them
    }
}

}  // namespace

bool confine_client(Table& table, uint32_t slot, uint64_t deadline_ns) noexcept {
    const uint64_t seen = table.ledger.slot(slot).state.load();
    if (!unpack_state(seen).takes_part()) return true;  // what is recorded may be about the slot's former user
    Request posted{};
    if (!read_request(table.ledger, slot, posted)) return false;
    const ProcessIdentity identity = read_identity(table.ledger.slot(slot).client);
    // Open before liveness(): then no other process is moved.
    ClientTree tree(table.ledger, table.path, slot, identity.pid, &table.launcher);  // mutant tree-first
    // They were read one after another. If the slot has another user by now, the request was not for that user.
    const uint32_t generation = unpack_state(seen).generation;
    if (state_of(table.ledger.slot(slot)).generation != generation) return true;  // mutant next-user
    const Liveness life = table.confined.liveness(identity);
    if (life == Liveness::kDead) {
        const AdminLock lock(table.ledger.header(), deadline_in_ms(100));
        if (is_abandoned(table.ledger.slot(slot)) && !pass_on(table.ledger, table.path, slot)) {
            retire(table.ledger, table.pages, table.path, slot, seen, DROM_EVENT_REAP);
            return true;
        }
        // Its launcher lives and may start another program in its place, or descendants are left.
        tree.forget_process();
    } else if (life == Liveness::kUnknown) {
        return false;
    }
    Confined done{DROM_OK, {}, 0, 0};
    if (!table.ledger.virtual_node()) done = move_threads(table, {slot, generation}, tree, posted, deadline_ns);
    if (done.status == DROM_E_NOPROC) return true;  // it ended just now; the next look finds it dead
    if (done.status != DROM_OK) return false;
    if (state_of(table.ledger.slot(slot)).generation != generation) return true;  // the slot has another user
    note_outside(table.ledger, slot, generation, {posted.seq, posted.mask - done.refused});
    record(table.ledger,
           {.type = DROM_EVENT_CONFINED, .slot = slot, .seq = posted.seq, .value = done.threads, .pid = identity.pid});
    return true;
}

bool confine_again(Table& table, const User& user, uint64_t deadline_ns) noexcept {
    Request posted{};
    if (table.ledger.virtual_node() || !read_request(table.ledger, user.slot, posted)) return true;
    const ProcessIdentity identity = read_identity(table.ledger.slot(user.slot).client);
    ClientTree tree(table.ledger, table.path, user.slot, identity.pid, &table.launcher);
    const Liveness life = table.confined.liveness(identity);
    if (life == Liveness::kUnknown || state_of(table.ledger.slot(user.slot)).generation != user.generation) return true;
    if (life == Liveness::kDead) tree.forget_process();
    const Confined done = move_threads(table, user, tree, posted, deadline_ns);
    return done.status == DROM_OK || done.status == DROM_E_NOPROC;
}

void move_agentless(Table& table) noexcept {
    for (uint32_t slot = 0; slot < table.ledger.clients(); ++slot) {
        if (!is_live(table.ledger, name_of(table.ledger, slot))) continue;
        const Page* page = table.pages.view(slot);
        const bool joined = page != nullptr && page->joined.load() != 0;
        const uint64_t newest = table.ledger.mailbox(slot).newest.load(std::memory_order_acquire);
        const uint64_t released = released_seq(table.ledger, table.pages, slot);
        if (!joined && released != 0 && released < newest) confine_client(table, slot, deadline_in_ms(100));
    }
}

}  // namespace drom
