// SPDX-License-Identifier: BSD-3-Clause
// tables.cpp - an open table, and how a process asks for CPUs in it.
#include "tables.hpp"

#include <cerrno>
#include <cstdlib>

#include "base/clock.hpp"
#include "say.hpp"

namespace drom::dlb {

namespace {

drom_options with_flags(uint64_t flags) noexcept {
    drom_options options{};
    options.size = sizeof options;
    options.flags = flags;
    return options;
}

/// Returns the flag for waiting: DLB's processes answer by themselves. A user who sets the grace period wants them to
/// be confined after it.
uint64_t patience() noexcept {
    const char* grace = secure_getenv("DROM_GRACE_MS");
    return grace != nullptr && *grace != '\0' ? 0 : DROM_NEVER_CONFINE;
}

/// Processes other than `pid` that have CPUs of `mask` before the request.
struct Owners {
    static constexpr size_t kMax = 1024;
    int32_t pids[kMax];
    size_t count;
};

int find_owners(const Tables& tables, int pid, const CpuSet& mask, Owners& owners, drom_error* error) noexcept {
    size_t found = drom_table_clients(tables.table());
    auto* clients = static_cast<drom_client_info*>(calloc(found + 1, sizeof(drom_client_info)));
    if (clients == nullptr) {
        write_why(error, "drom: dlb: set: out of memory");
        return DROM_E_OS;
    }
    clients[0].size = sizeof(drom_client_info);
    const int status = drom_clients(tables.table(), clients, &found, error);
    for (size_t i = 0; status == DROM_OK && i < found && owners.count < Owners::kMax; ++i) {
        CpuSet owned{};
        const int32_t other = clients[i].pid;
        if (other == pid || drom_get_mask(tables.table(), other, owned.words, nullptr, kMaskWords, nullptr) != DROM_OK)
            continue;
        if (owned.intersects(mask)) owners.pids[owners.count++] = other;
    }
    free(clients);
    return status;
}

/// Waits for all of them, with one time limit.
int await_all(const Tables& tables, const Owners& owners, int pid, bool answers, drom_error* error) noexcept {
    const uint64_t deadline = deadline_in_ms(time_limit_ms());
    for (size_t i = 0; i < owners.count + (answers ? 1 : 0); ++i) {
        const uint64_t now = now_ns();
        const auto left = static_cast<uint32_t>(now < deadline ? (deadline - now) / kMillisecond + 1 : 1);
        const int status = await(tables, i < owners.count ? owners.pids[i] : pid, left, error);
        if (status == DROM_E_TIMEOUT || (status < 0 && i == owners.count)) return status;
    }
    return DROM_OK;
}

}  // namespace

int Tables::open(const char* where, bool create, drom_error* error) noexcept {
    if (is_open()) return DROM_OK;
    const drom_options options = with_flags(create ? DROM_CREATE : 0);
    int status = drom_open(&table_, where, &options, error);
    if (status == DROM_OK) status = drom_dlb_open(&view_, drom_table_path(table_), error);
    if (status != DROM_OK) close();
    return status;
}

void Tables::close() noexcept {
    drom_close(table_);
    drom_dlb_close(view_);
    table_ = nullptr;
    view_ = nullptr;
}

int Tables::wanted(int pid, CpuSet& mask) const noexcept { return drom_dlb_wanted(view_, pid, mask.words, kMaskWords); }

uint32_t time_limit_ms() noexcept {
    const char* text = secure_getenv("DROM_TIMEOUT_MS");
    const long number = text != nullptr ? atol(text) : 0;
    return number > 0 && number < 1000000000 ? static_cast<uint32_t>(number) : 1000;
}

int await(const Tables& tables, int pid, uint32_t timeout_ms, drom_error* error) noexcept {
    drom_options options = with_flags(patience());
    options.timeout_ms = timeout_ms;
    const int status = drom_wait_for(tables.table(), pid, 0, &options, error);
    return status == DROM_PENDING ? int{DROM_E_TIMEOUT} : status;
}

int ask(const Tables& tables, int pid, const CpuSet& mask, const Order& order, drom_error* error) noexcept {
    CpuSet before{};
    if (const int status = tables.wanted(pid, before); status != DROM_OK) return status;
    Owners owners{};
    if (order.waits && order.take)
        if (const int status = find_owners(tables, pid, mask, owners, error); status != DROM_OK) return status;
    const CpuSet given_up = before - mask;
    if (order.lend) drom_dlb_lend(tables.view(), pid, given_up.words, kMaskWords);
    // Without waiting the process may start before the others have left, as with DLB; otherwise it gets the CPUs after
    // that.
    const uint64_t take = order.take ? DROM_TAKE | DROM_RETURN | (order.waits ? 0 : DROM_FAST) : 0;
    const drom_options options = with_flags(take | DROM_NEVER_CONFINE);
    int status = drom_set_mask(tables.table(), pid, mask.words, kMaskWords, &options, error);
    // A client that is in the way may have died meanwhile.
    if (status == DROM_E_BUSY && drom_check(tables.table(), nullptr, nullptr) == DROM_OK)
        status = drom_set_mask(tables.table(), pid, mask.words, kMaskWords, &options, error);
    if (status < 0) return status;
    drom_dlb_forget(tables.view(), pid);
    const int waited = order.waits ? await_all(tables, owners, pid, order.answers, error) : DROM_OK;
    const CpuSet gained = mask - before;
    // Until now the taken CPUs would go back if this process died, or gave up waiting.
    if (!order.lend && waited == DROM_OK) drom_dlb_remember(tables.view(), pid, gained.words, kMaskWords);
    return waited;
}

}  // namespace drom::dlb
