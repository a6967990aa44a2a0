// SPDX-License-Identifier: BSD-3-Clause
// table.cpp - an administrator's open table: opening, and finding a client.
#include "table.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "shmem/descendants.hpp"
#include "shmem/enrolment.hpp"

namespace drom {

namespace {

/// Creates the table. A failure leaves no directory behind that was not there before; one that another process has
/// begun to fill stays.
int create_table(const char* path, const CreateSpec& spec, drom_error* error) noexcept {
    const bool there = access(path, F_OK) == 0;
    const int status = create_ledger(path, spec, error);
    if (status != DROM_OK && !there) rmdir(path);
    return status;
}

}  // namespace

Table::~Table() {
    pages.clear();
    launcher.forget();
    close_ledger(ledger);
    free(changes);
    free(targets);
}

int Table::open(const char* where, const Options& options, drom_error* error) noexcept {
    if (const int status = table_path(where, path, sizeof path, error); status != DROM_OK) return status;
    const bool read_only = options.has(DROM_READONLY);
    if (options.has(DROM_VIRTUAL) && (!options.has(DROM_CREATE) || options.cpus == 0))
        return fail(error, DROM_E_INVAL,
                    "drom: open table %s: a virtual node is made with DROM_CREATE and a number of CPUs", path);
    int status = open_ledger(path, read_only, ledger, error);
    if (status == DROM_E_NOTABLE && options.has(DROM_CREATE)) {
        const uint32_t mode =
            (options.has(DROM_NODE) ? kModeNode : kModeUser) | (options.has(DROM_VIRTUAL) ? kModeVirtual : 0);
        const CreateSpec spec{options.cpus, options.clients, mode};
        status = create_table(path, spec, error);
        if (status == DROM_OK) status = open_ledger(path, read_only, ledger, error);
    }
    if (status == DROM_E_NOTABLE && !options.has(DROM_CREATE)) tell_of_removed(path, "open", error);
    if (status != DROM_OK) return status;
    changes = static_cast<Change*>(malloc(sizeof(Change) * ledger.cpus()));
    targets = static_cast<Owner::Name*>(calloc(ledger.cpus(), sizeof(Owner::Name)));
    if (changes == nullptr || targets == nullptr || !pages.open(&ledger, path))
        return fail(error, DROM_E_OS, "drom: open table %s: out of memory", path);
    return succeed(error);
}

int Table::writable(const char* verb, drom_error* error) noexcept {
    if (!ledger.writable) return fail(error, DROM_E_PERM, "drom: %s: table %s was opened read-only", verb, path);
    // Checked once per tick of the kernel: tables are removed by hand, and a check costs a fifth of a request.
    const uint64_t now = tick_ns();
    if (there_ns.load(std::memory_order_relaxed) == now) return DROM_OK;
    const int status = still_there(ledger, path, error);
    if (status == DROM_OK) there_ns.store(now, std::memory_order_relaxed);
    return status;
}

int Table::find(uint32_t pid, const char* verb, User& user, drom_error* error) noexcept {
    user = pid == 0 ? User{kNoSlot, 0} : find_listed_user(ledger, pid);
    if (user.slot == kNoSlot) {
        ProcessIdentity identity{};
        const char* what =
            identify(pid, identity) ? "the process is no client; start it with drom run" : "there is no such process";
        return fail(error, DROM_E_NOPROC, "%s: %s", verb, what);
    }
    // A full look at its liveness costs more than the whole operation; LockedTable makes one every 100 ms. In between,
    // it is enough that the pid is gone.
    const bool gone = getsid(static_cast<pid_t>(pid)) < 0 && errno == ESRCH;
    if (!gone || !ledger.writable) return DROM_OK;
    const uint64_t seen = ledger.slot(user.slot).state.load();
    const SlotState now = unpack_state(seen);
    const bool passed_on = !now.takes_part() || now.generation != user.generation;
    if (!passed_on && (!is_abandoned(ledger.slot(user.slot)) || pass_on(ledger, path, user.slot))) return DROM_OK;
    if (!passed_on) retire(ledger, pages, path, user.slot, seen, DROM_EVENT_REAP);
    return fail(error, DROM_E_NOPROC, "%s: the process has ended; its CPUs are free again", verb);
}

}  // namespace drom
