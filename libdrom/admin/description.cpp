// SPDX-License-Identifier: BSD-3-Clause
// description.cpp - what a table says of its clients, CPUs and events, for people and programs.
#include "description.hpp"

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "shmem/descendants.hpp"
#include "shmem/events.hpp"
#include "shmem/futex.hpp"

namespace drom {

namespace {

/// Returns when the newest released request was released: by the client, or before that from outside.
uint64_t released_at(const Mailbox& mailbox, const Page* page, const drom_client_info& info) noexcept {
    const uint64_t confined = info.confined_seq != 0 ? mailbox.confined_ns.load(std::memory_order_relaxed) : 0;
    const uint64_t own_seq = page != nullptr ? page->released.load() : 0;
    const uint64_t own = page != nullptr ? page->released_ns.load() : 0;
    if (own_seq == 0 || own_seq > info.request_seq || own_seq < info.confined_seq) return confined;
    return own_seq == info.confined_seq ? std::min(own, confined) : own;
}

void describe_page(const Page& page, drom_client_info& info) noexcept {
    info.resized_seq = std::min(page.resized.load(), info.request_seq);
    info.entry_points = page.entry_points.load();
    info.resize = page.resize.load();
    info.team_size = page.team_size.load();
    info.start_size = page.start_size.load();
    info.ranks = page.ranks.load();
    info.rank = page.rank.load();
    info.local_rank = page.local_rank.load();
    info.resized_ns = own_clock_ns(page.resized_ns.load());
    info.safe_points = page.safe_points.load(std::memory_order_relaxed);
    info.queries = page.queries.load(std::memory_order_relaxed);
    info.polls = page.polls.load(std::memory_order_relaxed);
    info.adoptions = page.adoptions.load(std::memory_order_relaxed);
    char why[sizeof page.why];
    memcpy(why, page.why, sizeof why);
    why[sizeof why - 1] = '\0';
    copy_text(info.why, sizeof info.why, why);
}

/// Returns whether the cpuset allowed less than the request. The process that moved the client's threads last knows.
bool is_limited(const Ledger& ledger, uint32_t slot, const Page* page) noexcept {
    Request outside;
    const uint64_t own = page != nullptr ? page->released.load() : 0;
    if (!read_outside(ledger, slot, outside) || outside.seq <= own) return page != nullptr && page->limited.load() != 0;
    Request newest;
    return read_request(ledger, slot, newest) && newest.seq == outside.seq && !(newest.mask == outside.mask);
}

void describe(const Ledger& ledger, Pages& pages, uint32_t index, drom_client_info& info) noexcept {
    const Slot& slot = ledger.slot(index);
    const SlotState state = state_of(slot);
    const Owner::Name client = name_of(ledger, index);
    const Mailbox& mailbox = ledger.mailbox(index);
    info.pid = static_cast<int32_t>(slot.client.pid.load());
    info.launcher_pid = static_cast<int32_t>(slot.launcher.pid.load());
    info.slot = index;
    info.generation = state.generation;
    info.state = state.phase == phase::kLive ? DROM_CLIENT_LIVE : DROM_CLIENT_RESERVED;
    info.flags = static_cast<uint32_t>((state.flags & slot_flag::kRigid) != 0 ? DROM_RIGID : 0);
    info.request_seq = mailbox.newest.load();
    info.confined_seq = confined_seq(ledger, index);
    info.released_seq = released_seq(ledger, pages, index);
    info.posted_ns = own_clock_ns(mailbox.posted_ns.load());
    info.owned_cpus = owned_cpus(ledger, client).count();
    info.wanted_cpus = wanted_cpus(ledger, client).count();
    info.min_cpus = slot.min_cpus.load();
    info.max_cpus = slot.max_cpus.load();
    copy_text(info.name, sizeof info.name, slot.name);
    copy_text(info.job, sizeof info.job, slot.job);
    const Page* page = pages.view(index);
    info.released_ns = own_clock_ns(released_at(mailbox, page, info));
    if (page != nullptr) {
        if (page->joined.load() != 0) info.state = DROM_CLIENT_LIVE;
        describe_page(*page, info);
    }
    info.limited = is_limited(ledger, index, page) ? 1 : 0;
}

/// Returns whether nothing of the client is left, retired or not.
bool is_over(const Table& table, uint32_t slot) noexcept {
    ProcessIdentity left{};
    return is_abandoned(table.ledger.slot(slot)) &&
           (table.ledger.virtual_node() || find_left(table.ledger, table.path, slot, left) == 0);
}

}  // namespace

int get_mask(Table& table, uint32_t pid, CpuSet* owned, CpuSet* wanted, drom_error* error) noexcept {
    const VerbText verb("get", pid);
    User user{};
    if (const int status = table.find(pid, verb.text, user, error); status != DROM_OK) return status;
    const Owner::Name client = user.name();
    if (owned != nullptr) *owned = owned_cpus(table.ledger, client);
    if (wanted != nullptr) *wanted = wanted_cpus(table.ledger, client);
    return succeed(error);
}

int list_clients(Table& table, drom_client_info* out, size_t* n, drom_error* error) noexcept {
    const size_t capacity = out != nullptr ? *n : 0;
    const size_t stride = capacity > 0 ? out[0].size : sizeof(drom_client_info);
    if (stride < offsetof(drom_client_info, request_seq) || stride % alignof(drom_client_info) != 0)
        return fail(error, DROM_E_INVAL, "drom: list: drom_client_info.size is %zu; set it to sizeof(drom_client_info)",
                    stride);
    size_t found = 0;
    for (uint32_t slot = 0; slot < table.ledger.clients(); ++slot) {
        if (!is_live(table.ledger, name_of(table.ledger, slot)) || is_over(table, slot)) continue;
        if (found < capacity) {
            // The caller's structure may be an older one, which ends earlier, or a newer one.
            drom_client_info info{};
            info.size = stride;
            describe(table.ledger, table.pages, slot, info);
            char* place = reinterpret_cast<char*>(out) + found * stride;
            memset(place, 0, stride);
            memcpy(place, &info, std::min(stride, sizeof info));
        }
        ++found;
    }
    *n = found;
    if (found > capacity)
        return fail(error, DROM_E_FULL, "drom: list: %s, room for %zu", CountText(found, "client").text, capacity);
    return succeed(error);
}

int list_descendants(const Table& table, uint32_t pid, int32_t* out, size_t* n, drom_error* error) noexcept {
    const VerbText verb("descendants", pid);
    const auto room = static_cast<uint32_t>(out != nullptr ? std::min<size_t>(*n, UINT32_MAX) : 0);
    const User user = find_listed_user(table.ledger, pid);
    if (user.slot == kNoSlot) return fail(error, DROM_E_NOPROC, "%s: it is no client (any more)", verb.text);
    const ProcessIdentity identity = read_identity(table.ledger.slot(user.slot).client);
    *n = 0;
    ClientTree tree(table.ledger, table.path, user.slot, identity.pid, nullptr);
    const Liveness life = liveness(identity);
    if (table.ledger.virtual_node()) return succeed(error);  // it has no processes
    if (life == Liveness::kUnknown)
        return fail(error, DROM_E_NOPROC,
                    "%s: its process cannot be seen from this pid namespace; ask from within its own", verb.text);
    if (life == Liveness::kDead) tree.forget_process();
    *n = tree.list(out, room);
    if (*n <= room) return succeed(error);
    return fail(error, DROM_E_FULL, "%s: %s, room for %u", verb.text,
                CountText(static_cast<uint32_t>(*n), "process").text, room);
}

int read_events(const Table& table, uint64_t* next, drom_event* out, size_t* n, uint32_t timeout_ms,
                drom_error* error) noexcept {
    Header& header = table.ledger.header();
    const uint64_t deadline = deadline_in_ms(timeout_ms);
    if (*next == UINT64_MAX) *next = header.event_head.load();
    const size_t capacity = *n;
    for (;;) {
        const uint32_t bell = header.event_bell.load();  // before looking: an event that comes later rings again
        if (*n = copy_events(table.ledger, *next, out, capacity); *n > 0) return succeed(error);
        const uint64_t now = now_ns();
        if (now >= deadline) break;
        if (const int status = still_there(table.ledger, table.path, error); status != DROM_OK) return status;
        // An observer cannot announce that it waits, so no recorder wakes it: it looks again by itself.
        constexpr uint64_t kObserverLooks = 20 * kMillisecond;
        if (table.ledger.writable) header.event_waiters.fetch_add(1);
        futex_wait(&header.event_bell, bell,
                   table.ledger.writable ? deadline : std::min(deadline, now + kObserverLooks));
        if (table.ledger.writable) header.event_waiters.fetch_sub(1);
    }
    succeed(error);
    return DROM_UNCHANGED;
}

}  // namespace drom
