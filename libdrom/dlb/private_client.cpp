// SPDX-License-Identifier: BSD-3-Clause
// private_client.cpp - this process as DLB programs see it: one client, however it joined.
#include <unistd.h>
#include <atomic>

#include "base/error.hpp"
#include "client/client_state.hpp"
#include "openmp/apply.hpp"
#include "private.h"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

using drom::CpuSet;
using drom::fail;
using drom::Request;
namespace client = drom::client;

namespace {

constinit std::atomic<drom_dlb_released_fn> released_fn{nullptr};

void after_release(const Request&) {
    if (const auto fn = released_fn.load()) fn();
}

bool is_client() noexcept { return client::joined() && client::state.pid == getpid(); }

CpuSet own_cpus() noexcept {
    const drom::Ledger& ledger = client::state.ledger;
    return drom::wanted_cpus(ledger, drom::name_of(ledger, client::state.slot));
}

int join(const drom_dlb_joining& how, drom_error* error) noexcept {
    CpuSet mask{};
    if (how.words != nullptr && !drom::from_words(how.words, how.nwords, mask))
        return fail(error, DROM_E_NOCPU, "drom: dlb: join: the mask names a CPU beyond %u", drom::kMaxCpus - 1);
    const bool none = how.reserved_for == DROM_DLB_NO_RESERVATION;
    client::JoinOptions options{nullptr, 0, how.async != 0, nullptr, nullptr, 0, 0, false};
    options.claim = how.words != nullptr ? &mask : nullptr;
    options.where = how.where;
    options.reserved_for = none ? client::kNoReservation : static_cast<uint32_t>(how.reserved_for);
    return client::join(options, error);
}

/// Returns whether other code in this process uses the client by entry points of its own.
bool is_shared() noexcept {
    constexpr uint32_t kOurs = DROM_ENTRY_EXPLICIT | DROM_ENTRY_ASYNC;
    return (client::page().entry_points.load() & ~kOurs) != 0;
}

/// Hands over the released CPUs: a client may wait for them without an administrator.
void hand_over() noexcept {
    static constinit std::atomic<bool> busy{false};  // two threads may poll at once
    if (!client::state.ledger.writable || busy.exchange(true)) return;
    drom::SlotSet touched;
    touched.add(client::state.slot);
    drom::reconcile(client::state.ledger, *client::state.pages, touched);
    busy.store(false);
}

[[gnu::noinline]] int adopt(uint64_t* seen, uint64_t* words, size_t nwords) noexcept {
    client::page().polls.fetch_add(1, std::memory_order_relaxed);
    Request wanted{};
    if (!client::newest(wanted)) return is_client() ? int{DROM_UNCHANGED} : int{DROM_E_NOINIT};
    if (wanted.seq <= *seen) return DROM_UNCHANGED;
    if (client::released().seq < wanted.seq && !client::release(wanted)) return DROM_UNCHANGED;
    if (words != nullptr && !drom::to_words(wanted.mask, words, nwords)) return DROM_E_INVAL;
    *seen = wanted.seq;
    hand_over();
    return DROM_OK;
}

}  // namespace

extern "C" {

int drom_dlb_join(const drom_dlb_joining* how, uint64_t* has, size_t nwords, drom_error* error) {
    const bool before = is_client();
    if (!before)
        if (const int status = join(*how, error); status != DROM_OK) return status;
    if (before && how->async != 0) client::start_agent();
    if (drom::to_words(own_cpus(), has, nwords)) return before ? int{DROM_UNCHANGED} : int{DROM_OK};
    if (!before) client::leave(nullptr);
    return fail(error, DROM_E_INVAL, "drom: dlb: join: the table has more CPUs than DLB's masks");
}

int drom_dlb_joined(uint64_t* first) {
    if (!is_client()) return 0;
    *first = client::state.first_seq;
    return 1;
}

int drom_dlb_leave(drom_error* error) {
    released_fn.store(nullptr);
    if (is_client() && is_shared()) return DROM_UNCHANGED;
    client::on_release(nullptr);
    return client::leave(error);
}

const char* drom_dlb_where(void) { return client::path(); }

int drom_dlb_poll(uint64_t* seen, uint64_t* words, size_t nwords) {
    if (!client::reads_requests()) return DROM_E_NOINIT;
    if (drom_dlb_pending(*seen) != DROM_OK) return DROM_UNCHANGED;
    return adopt(seen, words, nwords);
}

void drom_dlb_polls(int updates) {
    if (updates == 0 || !drom::has_runtime()) client::add_entry_points(DROM_ENTRY_EXPLICIT);
}

int drom_dlb_pending(uint64_t seen) {
    const auto* newest = client::hot.request.load(std::memory_order_relaxed);
    return newest->load(std::memory_order_acquire) > seen ? int{DROM_OK} : int{DROM_UNCHANGED};
}

const void* drom_dlb_newest(void) { return &client::hot.request; }

void drom_dlb_followed(uint64_t seen, int apply) {
    const bool team = drom::has_runtime();
    if (team && apply != 0) drom::apply_now();
    if (!team) client::acknowledge_resize(seen, 0, DROM_RESIZE_CALLER, "the program adapts by itself");
}

void drom_dlb_on_release(drom_dlb_released_fn fn) {
    released_fn.store(fn);
    client::on_release(fn != nullptr ? after_release : nullptr);
}

}  // extern "C"
