// SPDX-License-Identifier: BSD-3-Clause
// private_table.cpp - a table as DLB's administrators see it: the registered processes, and which of them has CPUs of
// which other.
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "admin/options.hpp"
#include "admin/plan.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "client/client_state.hpp"
#include "private.h"
#include "shmem/admin_lock.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/events.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

using drom::CpuSet;
using drom::fail;
using drom::kNoSlot;
using drom::Ledger;
using drom::Owner;

struct drom_dlb_view {
    char path[256];
    Ledger ledger;
    drom::Pages pages;
};

namespace {

constexpr uint32_t kLockMs = 1000;

uint32_t slot_of(const Ledger& ledger, int32_t pid) noexcept {
    return pid <= 0 ? kNoSlot : drom::find_listed_pid(ledger, static_cast<uint32_t>(pid));
}

void describe(drom_dlb_view& view, uint32_t slot, drom_dlb_client& out) noexcept {
    const drom::Page* page = view.pages.view(slot);
    const drom::Mailbox& mailbox = view.ledger.mailbox(slot);
    const uint64_t posted = mailbox.posted_ns.load(std::memory_order_relaxed);
    const uint64_t now = drom::now_ns();
    out = {};
    out.slot = slot;
    out.generation = drom::state_of(view.ledger.slot(slot)).generation;
    out.joined = page != nullptr && page->joined.load() != 0 ? 1 : 0;
    out.pending = drom::released_seq(view.ledger, view.pages, slot) < mailbox.newest.load() ? 1 : 0;
    const CpuSet wanted = drom::wanted_cpus(view.ledger, drom::name_of(view.ledger, slot));
    drom::to_words(wanted, out.wanted, CpuSet::kWords);
    out.pending_ms = out.pending != 0 && now > posted ? (now - posted) / drom::kMillisecond : 0;
}

const Ledger& ledger_of(const drom_dlb_view* view) noexcept {
    return view != nullptr ? view->ledger : drom::client::state.ledger;
}

bool is_usable(const drom_dlb_view* view) noexcept { return view != nullptr || drom::client::reads_requests(); }

/// Returns whether the client has ended, as Table::find() does: a pid that is gone is checked, any other is believed
/// until the next reaping.
bool has_ended(const Ledger& ledger, uint32_t slot, uint32_t pid) noexcept {
    return getsid(static_cast<pid_t>(pid)) < 0 && errno == ESRCH && drom::is_abandoned(ledger.slot(slot));
}

/// Returns whether `pid` is this process, whose slot and life are known.
bool is_own(const drom_dlb_view* view, int32_t pid) noexcept {
    return view == nullptr && static_cast<uint32_t>(pid) == drom::self().pid && drom::client::is_current();
}

/// Visits the CPUs that the client has once everything posted is done.
template <class Visit>
void each_cpu(const drom_dlb_view& view, int32_t pid, const uint64_t* words, size_t nwords,
              const Visit& visit) noexcept {
    const uint32_t slot = slot_of(view.ledger, pid);
    CpuSet among{};
    if (slot == kNoSlot || (words != nullptr && !drom::from_words(words, nwords, among))) return;
    const Owner::Name client = drom::name_of(view.ledger, slot);
    const CpuSet has = drom::wanted_cpus(view.ledger, client) | drom::owned_cpus(view.ledger, client);
    const CpuSet cpus = words != nullptr ? has & among : has;
    for (uint32_t cpu = cpus.first(); cpu < view.ledger.cpus(); cpu = cpus.next(cpu + 1)) visit(cpu, client);
}

}  // namespace

extern "C" {

int drom_dlb_table(char* path, size_t size) { return drom::table_path(nullptr, path, size, nullptr); }

int drom_dlb_open(drom_dlb_view** view, const char* where, drom_error* error) {
    *view = nullptr;
    void* memory = calloc(1, sizeof(drom_dlb_view));
    if (memory == nullptr) return fail(error, DROM_E_OS, "drom: dlb: open: out of memory");
    auto* fresh = new (memory) drom_dlb_view;
    int status = drom::table_path(where, fresh->path, sizeof fresh->path, error);
    if (status == DROM_OK) status = drom::open_ledger(fresh->path, false, fresh->ledger, error);
    if (status == DROM_OK && !fresh->pages.open(&fresh->ledger, fresh->path))
        status = fail(error, DROM_E_OS, "drom: dlb: open: out of memory");
    if (status == DROM_OK)
        *view = fresh;
    else
        drom_dlb_close(fresh);
    return status;
}

void drom_dlb_close(drom_dlb_view* view) {
    if (view == nullptr) return;
    view->pages.clear();
    drom::close_ledger(view->ledger);
    view->~drom_dlb_view();
    free(view);
}

int drom_dlb_look(drom_dlb_view* view, int32_t pid, drom_dlb_client* out) {
    const uint32_t slot = slot_of(view->ledger, pid);
    if (slot == kNoSlot) return DROM_E_NOPROC;
    describe(*view, slot, *out);
    return DROM_OK;
}

int drom_dlb_wanted(const drom_dlb_view* view, int32_t pid, uint64_t* words, size_t nwords) {
    if (!is_usable(view) || pid <= 0) return DROM_E_NOPROC;
    const Ledger& ledger = ledger_of(view);
    drom::User user{drom::client::state.slot, drom::client::state.generation};
    if (!is_own(view, pid)) {
        user = drom::find_listed_user(ledger, static_cast<uint32_t>(pid));
        if (user.slot == kNoSlot || has_ended(ledger, user.slot, static_cast<uint32_t>(pid))) return DROM_E_NOPROC;
    }
    return drom::to_words(drom::wanted_cpus(ledger, user.name()), words, nwords) ? DROM_OK : DROM_E_INVAL;
}

uint32_t drom_dlb_cpus(const drom_dlb_view* view) { return is_usable(view) ? ledger_of(view).cpus() : 0; }

int drom_dlb_pids(const drom_dlb_view* view, int32_t* pids, size_t* n) {
    const size_t room = *n;
    *n = 0;
    if (!is_usable(view)) return DROM_E_NOTABLE;
    const Ledger& ledger = ledger_of(view);
    for (uint32_t slot = 0; slot < ledger.clients() && *n < room; ++slot) {
        const uint32_t pid = ledger.slot(slot).client.pid.load(std::memory_order_acquire);
        if (pid == 0 || !drom::state_of(ledger.slot(slot)).takes_part() || has_ended(ledger, slot, pid)) continue;
        pids[(*n)++] = static_cast<int32_t>(pid);
    }
    return DROM_OK;
}

int drom_dlb_enrol(drom_dlb_view* view, int32_t pid, drom_dlb_client* out, drom_error* error) {
    const drom::VerbText verb("dlb: register", static_cast<uint32_t>(pid));
    if (pid <= 0) return fail(error, DROM_E_NOPROC, "%s: that is no process", verb.text);
    const auto number = static_cast<uint32_t>(pid);
    drom::Enrolment enrolment{.verb = verb.text, .launcher = drom::self(), .uid = geteuid()};
    if (!drom::identify(number, enrolment.client)) enrolment.client = {number, 0, drom::self().pidns};
    if (enrolment.client.start != 0 && drom::uid_of(number) != geteuid())
        return fail(error, DROM_E_PERM, "%s: the process belongs to uid %u", verb.text, drom::uid_of(number));
    const drom::AdminLock lock(view->ledger.header(), drom::deadline_in_ms(kLockMs));
    drom::User user{};
    if (const int status = drom::enrol(view->ledger, view->pages, view->path, enrolment, user, nullptr, error);
        status != DROM_OK)
        return status;
    drom::record(view->ledger, {.type = DROM_EVENT_JOIN, .slot = user.slot, .value = 0, .pid = number});
    describe(*view, user.slot, *out);
    return DROM_OK;
}

int drom_dlb_inherit(drom_dlb_view* view, int32_t from, int32_t to, const uint64_t* words, size_t nwords) {
    const drom::AdminLock lock(view->ledger.header(), drom::deadline_in_ms(kLockMs));
    const uint32_t successor = slot_of(view->ledger, to);
    drom_dlb_client reservation{};
    if (successor == kNoSlot || drom_dlb_look(view, from, &reservation) != DROM_OK) return DROM_E_NOPROC;
    if (reservation.joined != 0) return DROM_E_BUSY;
    const Owner::Name me = drom::name_of(view->ledger, successor);
    each_cpu(*view, from, words, nwords, [&](uint32_t cpu, Owner::Name owner) {
        const Owner word = drom::load_owner(view->ledger, cpu);
        if (word.owner() != owner || word.is(Owner::kOffered)) return;
        if (drom::change_owner(view->ledger, cpu, word, drom::given(word, me)))
            drom::record(view->ledger,
                         {.type = DROM_EVENT_ACCEPT, .slot = successor, .cpu = cpu, .pid = static_cast<uint32_t>(to)});
    });
    drom::SlotSet touched;
    touched.add(successor);
    touched.add(reservation.slot);
    drom::reconcile(view->ledger, view->pages, touched);
    return DROM_OK;
}

void drom_dlb_remember(drom_dlb_view* view, int32_t pid, const uint64_t* words, size_t nwords) {
    each_cpu(*view, pid, words, nwords, [view](uint32_t cpu, Owner::Name client) {
        const Owner::Name home = drom::home_owner(view->ledger, cpu);
        if (home == Owner::none() || home == client) return;
        drom::change_home(view->ledger, cpu, drom::remembered_home_of(view->ledger, home.slot));
    });
}

void drom_dlb_lend(drom_dlb_view* view, int32_t pid, const uint64_t* words, size_t nwords) {
    each_cpu(*view, pid, words, nwords, [view](uint32_t cpu, Owner::Name client) {
        const Owner::Name from = drom::remembered_owner(view->ledger, cpu);
        if (from == Owner::none() || from == client) return;
        drom::change_home(view->ledger, cpu, drom::home_of(view->ledger, from.slot));
    });
}

void drom_dlb_taken(drom_dlb_view* view, int32_t pid, uint64_t* taken, uint64_t* idle, size_t nwords) {
    const uint32_t slot = slot_of(view->ledger, pid);
    CpuSet from{};
    if (slot != kNoSlot) {
        const Owner::Name client = drom::name_of(view->ledger, slot);
        for (uint32_t cpu = 0; cpu < view->ledger.cpus(); ++cpu)
            if (drom::remembered_owner(view->ledger, cpu) == client || drom::home_owner(view->ledger, cpu) == client)
                from.add(cpu);
        from = from - drom::wanted_cpus(view->ledger, client);
    }
    drom::to_words(from, taken, nwords);
    drom::to_words(from & drom::free_cpus(view->ledger), idle, nwords);
}

void drom_dlb_forget(drom_dlb_view* view, int32_t pid) {
    each_cpu(*view, pid, nullptr, 0, [view](uint32_t cpu, Owner::Name client) {
        if (drom::remembered_owner(view->ledger, cpu) == client) drom::change_home(view->ledger, cpu, drom::kNoHome);
    });
}

}  // extern "C"
