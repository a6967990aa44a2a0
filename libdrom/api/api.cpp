// SPDX-License-Identifier: BSD-3-Clause
// api.cpp - the C interface: check arguments, call the core, translate. No logic.
#include <cstdlib>
#include <new>

#include "admin/table.hpp"
#include "base/error.hpp"
#include "client/client.hpp"

using drom::ClientMask;
using drom::CpuSet;
using drom::fail;
using drom::Options;
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

const char* drom_table_path(const drom_table* table) { return table != nullptr ? table->core.path() : ""; }
uint32_t drom_table_cpus(const drom_table* table) { return table != nullptr ? table->core.ledger().cpus() : 0; }
uint32_t drom_table_clients(const drom_table* table) { return table != nullptr ? table->core.ledger().clients() : 0; }

int drom_clients(drom_table* table, drom_client_info* out, size_t* n, drom_error* error) {
    if (table == nullptr) return no_table("list", error);
    if (n == nullptr) return no_room("list", "n", error);
    return table->core.clients(out, n, error);
}

int drom_get_mask(drom_table* table, int32_t pid, uint64_t* owned, uint64_t* wanted, size_t nwords, drom_error* error) {
    if (table == nullptr) return no_table("get", error);
    CpuSet has{};
    CpuSet will{};
    if (const int status = table->core.get_mask(static_cast<uint32_t>(pid), &has, &will, error); status != DROM_OK)
        return status;
    if (const int status = write_mask(has, owned, nwords, "get", error); status != DROM_OK) return status;
    return write_mask(will, wanted, nwords, "get", error);
}

int drom_table_masks(drom_table* table, uint64_t* present, uint64_t* free_cpus, uint64_t* drained, size_t nwords,
                     drom_error* error) {
    if (table == nullptr) return no_table("masks", error);
    CpuSet sets[3];
    table->core.masks(sets[0], sets[1], sets[2]);
    uint64_t* const outs[3] = {present, free_cpus, drained};
    for (int i = 0; i < 3; ++i)
        if (const int status = write_mask(sets[i], outs[i], nwords, "masks", error); status != DROM_OK) return status;
    return drom::succeed(error);
}

int drom_table_locations(drom_table* table, drom_location* out, size_t* n, drom_error* error) {
    if (table == nullptr) return no_table("locations", error);
    if (n == nullptr) return no_room("locations", "n", error);
    const drom::Ledger& ledger = table->core.ledger();
    const size_t room = *n;
    *n = ledger.cpus();
    if (room < *n)
        return fail(error, DROM_E_FULL, "drom: locations: %s, but room for %zu",
                    drom::CountText(ledger.cpus(), "CPU").text, room);
    if (out == nullptr) return no_room("locations", "out", error);
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu) {
        const drom::Place& place = ledger.place(cpu);
        out[cpu] = {place.core, place.l3, place.numa, place.package};
    }
    return drom::succeed(error);
}

int drom_set_mask(drom_table* table, int32_t pid, const uint64_t* words, size_t nwords, const drom_options* options,
                  drom_error* error) {
    if (table == nullptr) return no_table("set", error);
    Options read;
    CpuSet mask;
    if (const int status = read_options(options, kMoveFlags | DROM_ADD | DROM_REMOVE, "set", read, error);
        status != DROM_OK)
        return status;
    if (const int status = read_mask(words, nwords, "set", mask, error); status != DROM_OK) return status;
    if (read.has(DROM_ADD) && read.has(DROM_REMOVE))
        return fail(error, DROM_E_INVAL, "drom: set: DROM_ADD and DROM_REMOVE exclude each other");
    if (read.has(DROM_ADD)) return table->core.give(static_cast<uint32_t>(pid), mask, read, error);
    if (read.has(DROM_REMOVE)) return table->core.take(static_cast<uint32_t>(pid), mask, read, error);
    return table->core.set_mask(static_cast<uint32_t>(pid), mask, read, error);
}

int drom_set_masks(drom_table* table, const drom_client_mask* masks, size_t n, const drom_options* options,
                   drom_error* error) {
    if (table == nullptr) return no_table("set", error);
    Options read;
    if (const int status = read_options(options, kMoveFlags, "set", read, error); status != DROM_OK) return status;
    if (masks == nullptr) return no_room("set", "masks", error);
    if (n > drom::kMaxClients)
        return fail(error, DROM_E_INVAL, "drom: set: %zu clients are named; a table has at most %u", n,
                    drom::kMaxClients);
    auto* wanted = static_cast<ClientMask*>(malloc((n + 1) * sizeof(ClientMask)));
    if (wanted == nullptr) return fail(error, DROM_E_OS, "drom: set: out of memory");
    int status = DROM_OK;
    for (size_t i = 0; i < n && status == DROM_OK; ++i) {
        wanted[i].pid = static_cast<uint32_t>(masks[i].pid);
        status = masks[i].reserved == 0
                     ? read_mask(masks[i].words, masks[i].nwords, "set", wanted[i].mask, error)
                     : fail(error, DROM_E_INVAL, "drom: set %d: drom_client_mask.reserved is %u; set it to 0",
                            masks[i].pid, masks[i].reserved);
    }
    if (status == DROM_OK) status = table->core.set_masks(wanted, n, read, error);
    free(wanted);
    return status;
}

int drom_shrink(drom_table* table, int32_t pid, uint32_t to, const drom_options* options, drom_error* error) {
    if (table == nullptr) return no_table("shrink", error);
    Options read;
    if (const int status = read_options(options, kMoveFlags, "shrink", read, error); status != DROM_OK) return status;
    return table->core.shrink(static_cast<uint32_t>(pid), to, read, error);
}

int drom_expand(drom_table* table, int32_t pid, uint32_t to, const drom_options* options, drom_error* error) {
    if (table == nullptr) return no_table("expand", error);
    Options read;
    if (const int status = read_options(options, kMoveFlags, "expand", read, error); status != DROM_OK) return status;
    return table->core.expand(static_cast<uint32_t>(pid), to, read, error);
}

int drom_reserve(drom_table* table, int32_t pid, const uint64_t* words, size_t nwords, const drom_options* options,
                 char*** environment, drom_error* error) {
    if (table == nullptr) return no_table("reserve", error);
    Options read;
    CpuSet mask;
    if (const int status = read_options(options, kMoveFlags | DROM_RIGID | DROM_TREE, "reserve", read, error);
        status != DROM_OK)
        return status;
    if (const int status = read_mask(words, nwords, "reserve", mask, error); status != DROM_OK) return status;
    return table->core.reserve(static_cast<uint32_t>(pid), mask, read, environment, error);
}

int drom_release(drom_table* table, int32_t pid, const drom_options* options, drom_error* error) {
    if (table == nullptr) return no_table("release", error);
    Options read;
    if (const int status = read_options(options, kMoveFlags, "release", read, error); status != DROM_OK) return status;
    return table->core.release(static_cast<uint32_t>(pid), read, error);
}

int drom_drain(drom_table* table, const uint64_t* words, size_t nwords, const drom_options* options,
               drom_error* error) {
    if (table == nullptr) return no_table("drain", error);
    Options read;
    CpuSet mask;
    if (const int status = read_options(options, kMoveFlags, "drain", read, error); status != DROM_OK) return status;
    if (const int status = read_mask(words, nwords, "drain", mask, error); status != DROM_OK) return status;
    return table->core.drain(mask, read, error);
}

int drom_restore(drom_table* table, const uint64_t* words, size_t nwords, const drom_options* options,
                 drom_error* error) {
    if (table == nullptr) return no_table("restore", error);
    Options read;
    CpuSet mask;
    if (const int status = read_options(options, kMoveFlags, "restore", read, error); status != DROM_OK) return status;
    if (const int status = read_mask(words, nwords, "restore", mask, error); status != DROM_OK) return status;
    return table->core.restore(mask, read, error);
}

int drom_wait_for(drom_table* table, int32_t pid, uint64_t seq, const drom_options* options, drom_error* error) {
    if (table == nullptr) return no_table("wait", error);
    Options read;
    if (const int status = read_options(options, kWaitFlags, "wait", read, error); status != DROM_OK) return status;
    return table->core.wait(static_cast<uint32_t>(pid), seq, read, error);
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
    return table->core.descendants(static_cast<uint32_t>(pid), out, n, error);
}

int drom_check(drom_table* table, const drom_options* options, drom_error* error) {
    if (table == nullptr) return no_table("check", error);
    Options read;
    if (const int status = read_options(options, 0, "check", read, error); status != DROM_OK) return status;
    return table->core.check(read, error);
}

int drom_events(drom_table* table, uint64_t* next, drom_event* out, size_t* n, uint32_t timeout_ms, drom_error* error) {
    if (table == nullptr) return no_table("events", error);
    if (next == nullptr || out == nullptr || n == nullptr) return no_room("events", "next, out or n", error);
    return table->core.events(next, out, n, timeout_ms, error);
}

}  // extern "C"
