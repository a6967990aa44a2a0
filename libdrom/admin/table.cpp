// SPDX-License-Identifier: BSD-3-Clause
// table.cpp - an administrator's open table: opening, the frame of every operation, drain, restore and check.
#include "table.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/error.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/intent.hpp"
#include "shmem/invariants.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

namespace drom {

namespace {
constexpr uint64_t kReaperPeriod = 100 * kMillisecond;
}  // namespace

int read_options(const drom_options* in, uint64_t allowed, const char* verb, Options& out, drom_error* error) noexcept {
    out = Options{};
    if (in != nullptr) {
        if (in->size < offsetof(drom_options, reserved) || in->size > sizeof(drom_options))
            return fail(error, DROM_E_INVAL, "drom: %s: drom_options.size is %zu; set it to sizeof(drom_options)", verb,
                        in->size);
        const auto* const bytes = reinterpret_cast<const unsigned char*>(in);
        if (std::any_of(bytes + offsetof(drom_options, reserved), bytes + in->size, [](unsigned char b) { return b; }))
            return fail(error, DROM_E_INVAL, "drom: %s: drom_options.reserved is not 0; begin with all of it 0", verb);
        if ((in->flags & ~allowed) != 0)
            return fail(error, DROM_E_INVAL, "drom: %s: flag bits 0x%llx are unknown or mean nothing here", verb,
                        static_cast<unsigned long long>(in->flags & ~allowed));
        out = {.flags = in->flags,
               .timeout_ms = in->timeout_ms,
               .grace_ms = in->grace_ms,
               .name = in->name,
               .job = in->job,
               .min_cpus = in->min_cpus,
               .max_cpus = in->max_cpus,
               .cpus = in->cpus,
               .clients = in->clients};
    }
    // Read once per process: searching the environment would cost more than the operation.
    static const uint32_t timeout_ms = env::milliseconds("DROM_TIMEOUT_MS", 1000);
    static const uint32_t grace_ms = env::grace_ms();
    static const bool has_grace = env::text("DROM_GRACE_MS") != nullptr;
    out.grace_chosen = has_grace || out.grace_ms != 0;
    if (out.timeout_ms == 0) out.timeout_ms = timeout_ms;
    if (out.grace_ms == 0) {
        out.grace_ms = grace_ms;
        if (out.grace_ms == env::kGraceNever) out.flags |= DROM_NEVER_CONFINE;
    } else if (out.grace_ms == DROM_GRACE_AT_ONCE) {
        out.grace_ms = 0;
    }
    return DROM_OK;
}

Table::~Table() {
    pages_.clear();
    close_ledger(ledger_);
    free(changes_);
    free(targets_);
}

int Table::open(const char* where, const Options& options, drom_error* error) noexcept {
    if (const int status = table_path(where, path_, sizeof path_, error); status != DROM_OK) return status;
    const bool read_only = options.has(DROM_READONLY);
    if (options.has(DROM_VIRTUAL) && (!options.has(DROM_CREATE) || options.cpus == 0))
        return fail(error, DROM_E_INVAL,
                    "drom: open table %s: a virtual node is made with DROM_CREATE and a number of CPUs", path_);
    int status = open_ledger(path_, read_only, ledger_, error);
    if (status == DROM_E_NOTABLE && options.has(DROM_CREATE)) {
        const uint32_t mode =
            (options.has(DROM_NODE) ? kModeNode : kModeUser) | (options.has(DROM_VIRTUAL) ? kModeVirtual : 0);
        const CreateSpec spec{options.cpus, options.clients, mode};
        status = create_ledger(path_, spec, error);
        if (status == DROM_OK) status = open_ledger(path_, read_only, ledger_, error);
    }
    if (status != DROM_OK) return status;
    changes_ = static_cast<Change*>(malloc(sizeof(Change) * ledger_.cpus()));
    targets_ = static_cast<Owner::Name*>(calloc(ledger_.cpus(), sizeof(Owner::Name)));
    if (changes_ == nullptr || targets_ == nullptr || !pages_.open(&ledger_, path_))
        return fail(error, DROM_E_OS, "drom: open table %s: out of memory", path_);
    return succeed(error);
}

// --- the frame of every operation ----------------------------------------------------------------------------------

int Table::writable(const char* verb, drom_error* error) noexcept {
    if (!ledger_.writable) return fail(error, DROM_E_PERM, "drom: %s: table %s was opened read-only", verb, path_);
    // Checked once per tick of the kernel: tables are removed by hand, and a check costs a fifth of a request.
    const uint64_t now = tick_ns();
    if (there_ns_.load(std::memory_order_relaxed) == now) return DROM_OK;
    const int status = still_there(ledger_, path_, error);
    if (status == DROM_OK) there_ns_.store(now, std::memory_order_relaxed);
    return status;
}

void Table::refresh_offline() noexcept {
    if (present_cpus().last() + 1 != ledger_.cpus()) return;  // a synthetic node has no /sys
    CpuSet now_online{};
    if (!read_online_cpus(now_online)) return;  // the last known state stays
    for (uint32_t cpu = 0; cpu < ledger_.cpus(); ++cpu) {
        const Owner word = load_owner(ledger_, cpu);
        if (word.is(Owner::kOffline) == now_online.has(cpu))
            change_owner(ledger_, cpu, word, online(word, now_online.has(cpu)));
    }
}

/// With the lock held: completes what other administrators began, and looks for dead clients now and then. Always looks
/// for an intent, whichever process held the lock before: an administrator that only waits may have held it after the
/// dead one, and left the intent where it was.
int Table::begin(bool inherited, drom_error* error) noexcept {
    const bool unfinished = ledger_.intent().kind.load(std::memory_order_relaxed) != intent::kNothing;
    if (inherited || unfinished) {
        finish_intent();
        reconcile_all(ledger_, pages_);
    }
    if (tick_ns() > ledger_.header().reaped_ns.load(std::memory_order_relaxed) + kReaperPeriod) {
        refresh_offline();
        reap(ledger_, pages_, path_);
    }
    return succeed(error);
}

int Table::find(uint32_t pid, const char* verb, User& user, drom_error* error) noexcept {
    user = pid == 0 ? User{kNoSlot, 0} : find_listed_user(ledger_, pid);
    if (user.slot == kNoSlot) {
        Who who{};
        const char* what =
            who_is(pid, who) ? "the process is no client; start it with drom run" : "there is no such process";
        return fail(error, DROM_E_NOPROC, "%s: %s", verb, what);
    }
    // A full verdict costs more than the whole operation; begin() makes one every 100 ms. In between, it is enough that
    // the pid is gone.
    const bool gone = getsid(static_cast<pid_t>(pid)) < 0 && errno == ESRCH;
    if (!gone || !ledger_.writable) return DROM_OK;
    const uint64_t seen = ledger_.slot(user.slot).state.load();
    const SlotState now = unpack_state(seen);
    const bool passed_on = !now.takes_part() || now.generation != user.generation;
    if (!passed_on && (!is_abandoned(ledger_.slot(user.slot)) || pass_on(ledger_, path_, user.slot))) return DROM_OK;
    if (!passed_on) retire(ledger_, pages_, path_, user.slot, seen, DROM_EVENT_REAP);
    return fail(error, DROM_E_NOPROC, "%s: the process has ended; its CPUs are free again", verb);
}

// --- drain and restore ---------------------------------------------------------------------------------------------

int Table::empty_cpus(const CpuSet& mask, const Options& options, bool drained, drom_error* error) noexcept {
    const char* verb = drained ? "drain" : "restore";
    if (const int status = writable(verb, error); status != DROM_OK) return status;
    const char* sentence = drained ? "drom: drain" : "drom: restore";
    Intent what{drained ? intent::kDrain : intent::kRestore, kNoSlot, 0, mask, options.flags};
    SlotSet touched;
    bool changed = false;
    const Awaiting awaiting(pages_, options);
    {
        const AdminLock lock(ledger_.header(), deadline_in_ms(options.timeout_ms));
        begin(lock.inherited(), error);
        const int status = carry_out(what, nullptr, sentence, touched, changed, error);
        if (status != DROM_OK) return status;
    }
    const int finished = finish_all(touched, options, sentence, error);
    return finished == DROM_OK && !changed ? int{DROM_UNCHANGED} : finished;
}

int Table::drain(const CpuSet& mask, const Options& options, drom_error* error) noexcept {
    return empty_cpus(mask, options, true, error);
}

int Table::restore(const CpuSet& mask, const Options& options, drom_error* error) noexcept {
    return empty_cpus(mask, options, false, error);
}

int Table::check(const Options& options, drom_error* error) noexcept {
    if (const int status = writable("check", error); status != DROM_OK) return status;
    const AdminLock lock(ledger_.header(), deadline_in_ms(options.timeout_ms));
    if (const int status = check_invariants(ledger_, error); status != DROM_OK) return status;
    refresh_offline();
    const bool finished = finish_intent();
    const bool reaped = reap(ledger_, pages_, path_) > 0;
    const bool settled = reconcile_all(ledger_, pages_);
    if (const int status = check_invariants(ledger_, error); status != DROM_OK) return status;
    return finished || reaped || settled ? int{DROM_OK} : int{DROM_UNCHANGED};
}

}  // namespace drom
