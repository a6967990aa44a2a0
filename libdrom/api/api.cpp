// SPDX-License-Identifier: BSD-3-Clause
// api.cpp - the C interface: check arguments, call the core, translate. No logic.
#include <cstdlib>
#include <new>

#include "admin/carry_out.hpp"
#include "admin/description.hpp"
#include "admin/orders.hpp"
#include "admin/regions.hpp"
#include "admin/reservations.hpp"
#include "admin/wait.hpp"
#include "base/error.hpp"
#include "client/client.hpp"

using drom::ClientMask;
using drom::CpuSet;
using drom::fail;
using drom::Options;
using drom::Order;
using drom::read_options;
using drom::Table;

struct drom_table {
    Table core;
};

namespace {

constexpr uint64_t kWaitFlags = DROM_WAIT_RELEASED | DROM_WAIT_RESIZED | DROM_NEVER_CONFINE;
constexpr uint64_t kMoveFlags = kWaitFlags | DROM_TAKE | DROM_RETURN | DROM_FAST;

int no_table(const char* verb, drom_error* error) noexcept {
    return fail(error, DROM_E_INVAL, "drom: %s: the table is NULL; open one with drom_open", verb);
}

int no_room(const char* verb, const char* what, drom_error* error) noexcept {
    return fail(error, DROM_E_INVAL, "drom: %s: %s is NULL; give the address of one", verb, what);
}

int read_mask(const uint64_t* words, size_t nwords, const char* verb, CpuSet& mask, drom_error* error) noexcept {
    if (words == nullptr || nwords == 0)
        return fail(error, DROM_E_INVAL, "drom: %s: the mask is empty; name at least one CPU", verb);
    if (!drom::from_words(words, nwords, mask))
        return fail(error, DROM_E_NOCPU, "drom: %s: the mask names a CPU beyond %u", verb, drom::kMaxCpus - 1);
    return DROM_OK;
}

int write_mask(const CpuSet& mask, uint64_t* words, size_t nwords, const char* verb, drom_error* error) noexcept {
    if (words == nullptr || drom::to_words(mask, words, nwords)) return DROM_OK;
    return fail(error, DROM_E_INVAL, "drom: %s: the mask has CPU %u, which does not fit in %s", verb, mask.last(),
                drom::CountText(nwords, "word").text);
}

/// Checks what every call with options has.
int read_call(const drom_table* table, const drom_options* options, uint64_t allowed, const char* verb, Options& read,
              drom_error* error) noexcept {
    return table == nullptr ? no_table(verb, error) : read_options(options, allowed, verb, read, error);
}

int resize(drom_table* table, int32_t pid, Order::Kind kind, uint32_t to, const drom_options* options, const char* verb,
           drom_error* error) noexcept {
    Options read;
    const int status = read_call(table, options, kMoveFlags, verb, read, error);
    return status == DROM_OK ? drom::change(table->core, static_cast<uint32_t>(pid), {kind, {}, to}, read, error)
                             : status;
}

int change_cpus(drom_table* table, const uint64_t* words, size_t nwords, const drom_options* options, uint64_t kind,
                const char* verb, drom_error* error) noexcept {
    Options read;
    CpuSet mask;
    int status = read_call(table, options, kMoveFlags, verb, read, error);
    if (status == DROM_OK) status = read_mask(words, nwords, verb, mask, error);
    return status == DROM_OK ? drom::change_cpus(table->core, kind, mask, read, error) : status;
}

}  // namespace

extern "C" {

int drom_open(drom_table** table, const char* where, const drom_options* options, drom_error* error) {
    if (table == nullptr) return no_table("open", error);
    *table = nullptr;
    Options read;
    if (const int status =
            read_options(options, DROM_CREATE | DROM_READONLY | DROM_NODE | DROM_VIRTUAL, "open", read, error);
        status != DROM_OK)
        return status;
    if (read.has(DROM_CREATE) && read.has(DROM_READONLY))
        return fail(error, DROM_E_INVAL, "drom: open: DROM_CREATE and DROM_READONLY exclude each other");
    void* memory = calloc(1, sizeof(drom_table));
    if (memory == nullptr) return fail(error, DROM_E_OS, "drom: open: out of memory");
    auto* fresh = new (memory) drom_table;
    const int status = fresh->core.open(where, read, error);
    if (status != DROM_OK)
        drom_close(fresh);
    else
        *table = fresh;
    return status;
}

void drom_close(drom_table* table) {
    if (table == nullptr) return;
    table->~drom_table();
    free(table);
}

const char* drom_table_path(const drom_table* table) { return table != nullptr ? table->core.path : ""; }
uint32_t drom_table_cpus(const drom_table* table) { return table != nullptr ? table->core.ledger.cpus() : 0; }
uint32_t drom_table_clients(const drom_table* table) { return table != nullptr ? table->core.ledger.clients() : 0; }

int drom_clients(drom_table* table, drom_client_info* out, size_t* n, drom_error* error) {
    if (table == nullptr) return no_table("list", error);
    if (n == nullptr) return no_room("list", "n", error);
    return drom::list_clients(table->core, out, n, error);
}

int drom_get_mask(drom_table* table, int32_t pid, uint64_t* owned, uint64_t* wanted, size_t nwords, drom_error* error) {
    if (table == nullptr) return no_table("get", error);
    CpuSet has{};
    CpuSet will{};
    int status = drom::get_mask(table->core, static_cast<uint32_t>(pid), &has, &will, error);
    if (status == DROM_OK) status = write_mask(has, owned, nwords, "get", error);
    return status == DROM_OK ? write_mask(will, wanted, nwords, "get", error) : status;
}

int drom_table_masks(drom_table* table, uint64_t* present, uint64_t* free_cpus, uint64_t* drained, size_t nwords,
                     drom_error* error) {
    if (table == nullptr) return no_table("masks", error);
    const drom::NodeMasks masks = drom::node_masks(table->core.ledger);
    int status = write_mask(masks.present, present, nwords, "masks", error);
    if (status == DROM_OK) status = write_mask(masks.unowned, free_cpus, nwords, "masks", error);
    if (status == DROM_OK) status = write_mask(masks.drained, drained, nwords, "masks", error);
    return status == DROM_OK ? drom::succeed(error) : status;
}

int drom_table_locations(drom_table* table, drom_location* out, size_t* n, drom_error* error) {
    if (table == nullptr) return no_table("locations", error);
    if (n == nullptr) return no_room("locations", "n", error);
    const drom::Ledger& ledger = table->core.ledger;
    const size_t room = *n;
    *n = ledger.cpus();
    if (room < *n)
        return fail(error, DROM_E_FULL, "drom: locations: %s, but room for %zu",
                    drom::CountText(ledger.cpus(), "CPU").text, room);
    if (out == nullptr) return no_room("locations", "out", error);
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
        const drom::Location& location = ledger.location(cpu);
        out[cpu] = {location.core, location.l3, location.numa, location.package};
    }
    return drom::succeed(error);
}

int drom_set_mask(drom_table* table, int32_t pid, const uint64_t* words, size_t nwords, const drom_options* options,
                  drom_error* error) {
    Options read;
    CpuSet mask;
    int status = read_call(table, options, kMoveFlags | DROM_ADD | DROM_REMOVE, "set", read, error);
    if (status == DROM_OK) status = read_mask(words, nwords, "set", mask, error);
    if (status != DROM_OK) return status;
    if (read.has(DROM_ADD) && read.has(DROM_REMOVE))
        return fail(error, DROM_E_INVAL, "drom: set: DROM_ADD and DROM_REMOVE exclude each other");
    const Order::Kind kind = read.has(DROM_ADD) ? Order::kAdd : read.has(DROM_REMOVE) ? Order::kRemove : Order::kSet;
    return drom::change(table->core, static_cast<uint32_t>(pid), {kind, mask}, read, error);
}

int drom_set_masks(drom_table* table, const drom_client_mask* masks, size_t n, const drom_options* options,
                   drom_error* error) {
    Options read;
    int status = read_call(table, options, kMoveFlags, "set", read, error);
    if (status != DROM_OK) return status;
    if (masks == nullptr) return no_room("set", "masks", error);
    if (n > drom::kMaxClients)
        return fail(error, DROM_E_INVAL, "drom: set: %zu clients are named; a table has at most %u", n,
                    drom::kMaxClients);
    auto* wanted = static_cast<ClientMask*>(malloc((n + 1) * sizeof(ClientMask)));
    if (wanted == nullptr) return fail(error, DROM_E_OS, "drom: set: out of memory");
    for (size_t i = 0; i < n && status == DROM_OK; ++i) {
        wanted[i].pid = static_cast<uint32_t>(masks[i].pid);
        status = masks[i].reserved == 0
                     ? read_mask(masks[i].words, masks[i].nwords, "set", wanted[i].mask, error)
                     : fail(error, DROM_E_INVAL, "drom: set %d: drom_client_mask.reserved is %u; set it to 0",
                            masks[i].pid, masks[i].reserved);
    }
    if (status == DROM_OK) status = drom::set_masks(table->core, wanted, n, read, error);
    free(wanted);
    return status;
}

int drom_shrink(drom_table* table, int32_t pid, uint32_t to, const drom_options* options, drom_error* error) {
    return resize(table, pid, Order::kShrink, to, options, "shrink", error);  // mutant shrink
}

int drom_expand(drom_table* table, int32_t pid, uint32_t to, const drom_options* options, drom_error* error) {
    return resize(table, pid, Order::kExpand, to, options, "expand", error);  // mutant expand
}

int drom_reserve(drom_table* table, int32_t pid, const uint64_t* words, size_t nwords, const drom_options* options,
                 char*** environment, drom_error* error) {
    Options read;
    CpuSet mask;
    int status = read_call(table, options, kMoveFlags | DROM_RIGID | DROM_TREE, "reserve", read, error);
    if (status == DROM_OK) status = read_mask(words, nwords, "reserve", mask, error);
    if (status != DROM_OK) return status;
    return drom::reserve(table->core, static_cast<uint32_t>(pid), mask, read, environment, error);
}

int drom_release(drom_table* table, int32_t pid, const drom_options* options, drom_error* error) {
    Options read;
    const int status = read_call(table, options, kMoveFlags, "release", read, error);
    return status == DROM_OK ? drom::release(table->core, static_cast<uint32_t>(pid), read, error) : status;
}

int drom_drain(drom_table* table, const uint64_t* words, size_t nwords, const drom_options* options,
               drom_error* error) {
    return change_cpus(table, words, nwords, options, drom::intent::kDrain, "drain", error);
}

int drom_restore(drom_table* table, const uint64_t* words, size_t nwords, const drom_options* options,
                 drom_error* error) {
    return change_cpus(table, words, nwords, options, drom::intent::kRestore, "restore", error);
}

int drom_wait_for(drom_table* table, int32_t pid, uint64_t seq, const drom_options* options, drom_error* error) {
    Options read;
    const int status = read_call(table, options, kWaitFlags, "wait", read, error);
    return status == DROM_OK ? drom::wait_for(table->core, static_cast<uint32_t>(pid), seq, read, error) : status;
}

int drom_wait(drom_table* table, int32_t pid, uint64_t seq, uint32_t timeout_ms, drom_error* error) {
    drom_options options{};
    options.size = sizeof options;
    options.timeout_ms = timeout_ms;
    return drom_wait_for(table, pid, seq, &options, error);
}

int drom_descendants(drom_table* table, int32_t pid, int32_t* out, size_t* n, drom_error* error) {
    if (table == nullptr) return no_table("descendants", error);
    if (n == nullptr) return no_room("descendants", "n", error);
    return drom::list_descendants(table->core, static_cast<uint32_t>(pid), out, n, error);
}

int drom_regions(drom_table* table, int32_t pid, drom_region_info* out, size_t* n, drom_error* error) {
    if (table == nullptr) return no_table("regions", error);
    if (n == nullptr) return no_room("regions", "n", error);
    return drom::list_regions(table->core, static_cast<uint32_t>(pid), out, n, error);
}

int drom_check(drom_table* table, const drom_options* options, drom_error* error) {
    Options read;
    const int status = read_call(table, options, 0, "check", read, error);
    return status == DROM_OK ? drom::check_table(table->core, read, error) : status;
}

int drom_events(drom_table* table, uint64_t* next, drom_event* out, size_t* n, uint32_t timeout_ms, drom_error* error) {
    if (table == nullptr) return no_table("events", error);
    if (next == nullptr || out == nullptr || n == nullptr) return no_room("events", "next, out or n", error);
    return drom::read_events(table->core, next, out, n, timeout_ms, error);
}

}  // extern "C"
