// SPDX-License-Identifier: BSD-3-Clause
// table.cpp - an administrator's open table: opening, reservations, lookups. Changing a client's CPUs is in change.cpp,
// waiting in await.cpp.
#include "table.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/environment_array.hpp"
#include "base/error.hpp"
#include "shmem/admin_lock.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/events.hpp"
#include "shmem/futex.hpp"
#include "shmem/intent.hpp"
#include "shmem/invariants.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

namespace drom {

namespace {

constexpr uint64_t kReaperPeriod = 100 * kMillisecond;

uint64_t slot_flags(const Options& options) noexcept {
    return (options.has(DROM_RIGID) ? slot_flag::kRigid : 0) | (options.has(DROM_TREE) ? slot_flag::kTree : 0);
}

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

// --- reservations --------------------------------------------------------------------------------------------------

/// Reads from /proc the facts about the process that its slot records.
int Table::describe_process(uint32_t pid, Enrolment& enrolment, drom_error* error) noexcept {
    const int code = find_process(pid, enrolment.client);
    if (code == ESRCH) return fail(error, DROM_E_NOPROC, "%s: there is no such process", enrolment.verb);
    enrolment.launcher = self();
    enrolment.uid = uid_of(pid);
    if (code != 0 || enrolment.uid == UINT32_MAX || enrolment.launcher.start == 0 || enrolment.launcher.pidns == 0)
        return fail(error, DROM_E_OS, "%s: its entry in /proc cannot be read; try again", enrolment.verb);
    if (ledger_.node_mode() || enrolment.uid == geteuid()) return DROM_OK;
    return fail(error, DROM_E_PERM, "%s: the process belongs to uid %u; only a node table serves several users",
                enrolment.verb, enrolment.uid);
}

/// Gives the slot to a process that joined while the slot was being reserved for it, and cannot have the reserved CPUs.
/// It gets the free ones of the CPUs that it may run on, as without a reservation.
void Table::leave_to_itself(User user, uint32_t pid, const Options& options) noexcept {
    ledger_.slot(user.slot).launcher.pid.store(0);
    CpuSet mask{};
    if (!get_affinity(pid, mask)) return;
    mask = mask & free_cpus(ledger_);
    Options plain = options;
    plain.flags = 0;
    if (!mask.none()) change_user(user, {Wish::kExactly, mask, 0}, plain, "drom: reserve", nullptr);
}

/// Reserves a slot for the process, without any CPU.
int Table::reserve_slot(uint32_t pid, const Options& options, const char* verb, User& user,
                        drom_error* error) noexcept {
    Enrolment enrolment{.verb = verb};
    if (const int status = describe_process(pid, enrolment, error); status != DROM_OK) return status;
    enrolment.min_cpus = options.min_cpus;
    enrolment.max_cpus = options.max_cpus;
    enrolment.name = options.name;
    enrolment.job = options.job;
    enrolment.flags = slot_flags(options);
    // A user can use up the kernel's number of such pages. A job without a page runs as it is, and is confined from
    // outside.
    enrolment.needs_page = !ledger_.node_mode();
    return enrol(ledger_, pages_, path_, enrolment, user, nullptr, error);
}

int Table::reserve(uint32_t pid, const CpuSet& mask, const Options& options, char*** environment,
                   drom_error* error) noexcept {
    const VerbText verb("reserve", pid);
    if (const int status = writable("reserve", error); status != DROM_OK) return status;
    ReservationVariables variables;
    if (environment != nullptr && !variables.prepare(*environment, path_))
        return fail(error, DROM_E_OS, "%s: out of memory", verb.text);
    User user{};
    const Awaiting awaiting(pages_, options);
    {
        const AdminLock lock(ledger_.header(), deadline_in_ms(options.timeout_ms));
        begin(lock.inherited(), error);
        if (const int status = reserve_slot(pid, options, verb.text, user, error); status != DROM_OK) return status;
        const int status = change_user(user, {Wish::kExactly, mask, 0}, options, verb.text, error);
        if (status < 0) {
            if (!call_off(ledger_, pages_, path_, user.slot, user.generation)) leave_to_itself(user, pid, options);
            return status;
        }
        record(ledger_, {.type = DROM_EVENT_JOIN, .slot = user.slot, .value = mask.count(), .pid = pid});
    }
    if (environment != nullptr) variables.put(environment, user.slot, user.generation);
    return finish({user.slot, user.generation, 0, false}, options, verb.text, error);
}

/// Returns whether the client may not be released by this process: only itself and its launcher release a living
/// client. A process that never joined does not know its CPUs, so its reservation can be called off.
bool Table::is_kept(uint32_t slot, uint64_t seen) noexcept {
    const SlotState now = unpack_state(seen);
    if (!now.takes_part()) return false;  // another process releases it at this moment
    const Page* page = pages_.view(slot);
    const bool follows = now.phase == phase::kLive || page == nullptr || page->joined.load() != 0;
    const Who who = read_who(ledger_.slot(slot).client);
    return follows && verdict(who) == Verdict::kAlive && who.pid != self().pid &&
           read_who(ledger_.slot(slot).launcher).pid != self().pid;
}

/// Leaves the CPUs of a program that has ended to a descendant that still runs on them: step 3 of descendants.hpp.
bool Table::leave_to_descendant(User user, drom_error* error) noexcept {
    Slot& slot = ledger_.slot(user.slot);
    const Who ended = read_who(slot.client);
    const bool ours = (state_of(slot).flags & slot_flag::kTree) != 0 && read_who(slot.launcher) == self();
    if (!ours || verdict(ended) != Verdict::kDead) return false;
    Who successor{};
    const uint32_t left = find_left(ledger_, path_, user.slot, successor);
    if (left == 0) return false;
    write_who(slot.client, successor);
    if (!sign_takeover(ledger_, user.slot, user.generation, phase::kFree)) return false;
    if (error == nullptr) return true;
    error->status = DROM_PENDING;
    Text text(error->text, sizeof error->text);
    text << ClientText(ledger_, user.slot).text << " goes on in the background and keeps its CPUs";
    if (left > 1) text << " until the last of " << left << " processes ends";
    return true;
}

int Table::release_slot(uint32_t pid, const Options& options, drom_error* error) noexcept {
    const VerbText verb("release", pid);
    const AdminLock lock(ledger_.header(), deadline_in_ms(options.timeout_ms));
    begin(lock.inherited(), error);
    const User user = find_listed_user(ledger_, pid);
    const auto [slot, generation] = user;
    if (slot == kNoSlot) return fail(error, DROM_E_NOPROC, "%s: it is no client (any more)", verb.text);
    if (leave_to_descendant(user, error)) return DROM_PENDING;
    for (uint64_t seen = ledger_.slot(slot).state.load(); unpack_state(seen).generation == generation;
         seen = ledger_.slot(slot).state.load()) {
        if (!options.has(DROM_TAKE) && is_kept(slot, seen))
            return fail(error, DROM_E_BUSY, "%s: the process still runs; its CPUs come back when it ends", verb.text);
        // Not if it has joined since that look: then it knows its CPUs.
        if (retire(ledger_, pages_, path_, slot, seen, DROM_EVENT_LEAVE)) break;
    }
    return succeed(error);
}

int Table::release(uint32_t pid, const Options& options, drom_error* error) noexcept {
    if (const int status = writable("release", error); status != DROM_OK) return status;
    const int status = release_slot(pid, options, error);
    if (status == DROM_OK && !options.has(DROM_NEVER_CONFINE)) move_agentless();
    return status;
}

// --- drain and restore ---------------------------------------------------------------------------------------------

int Table::empty_cpus(const CpuSet& mask, const Options& options, bool drained, drom_error* error) noexcept {
    const char* verb = drained ? "drain" : "restore";
    if (const int status = writable(verb, error); status != DROM_OK) return status;
    const char* sentence = drained ? "drom: drain" : "drom: restore";
    Intention what{drained ? intent::kDrain : intent::kRestore, kNoSlot, 0, mask, options.flags};
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

// --- looking -------------------------------------------------------------------------------------------------------

int Table::get_mask(uint32_t pid, CpuSet* owned, CpuSet* wanted, drom_error* error) noexcept {
    const VerbText verb("get", pid);
    User user{};
    if (const int status = find(pid, verb.text, user, error); status != DROM_OK) return status;
    const Owner::Name who = user.name();
    if (owned != nullptr) *owned = owned_cpus(ledger_, who);
    if (wanted != nullptr) *wanted = wanted_cpus(ledger_, who);
    return succeed(error);
}

void Table::masks(CpuSet& present, CpuSet& unowned, CpuSet& drained) noexcept {
    present = drained = CpuSet::empty();
    unowned = free_cpus(ledger_);
    for (uint32_t cpu = 0; cpu < ledger_.cpus(); ++cpu) {
        const Owner word = load_owner(ledger_, cpu);
        if (!word.is(Owner::kAbsent)) present.add(cpu);
        if (word.is(Owner::kDrained)) drained.add(cpu);
    }
}

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
    info.doors = page.doors.load();
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

}  // namespace

void Table::describe(uint32_t index, drom_client_info& info) noexcept {
    const Slot& slot = ledger_.slot(index);
    const SlotState state = state_of(slot);
    const Owner::Name who = name_of(ledger_, index);
    const Mailbox& mailbox = ledger_.mailbox(index);
    info.pid = static_cast<int32_t>(slot.client.pid.load());
    info.guardian_pid = static_cast<int32_t>(slot.launcher.pid.load());
    info.slot = index;
    info.generation = state.generation;
    info.state = state.phase == phase::kLive ? DROM_CLIENT_LIVE : DROM_CLIENT_RESERVED;
    info.flags = static_cast<uint32_t>((state.flags & slot_flag::kRigid) != 0 ? DROM_RIGID : 0);
    info.request_seq = mailbox.newest.load();
    info.confined_seq = confined_seq(ledger_, index);
    info.released_seq = released_seq(ledger_, pages_, index);
    info.posted_ns = own_clock_ns(mailbox.posted_ns.load());
    info.owned_cpus = owned_cpus(ledger_, who).count();
    info.wanted_cpus = wanted_cpus(ledger_, who).count();
    info.min_cpus = slot.min_cpus.load();
    info.max_cpus = slot.max_cpus.load();
    copy_text(info.name, sizeof info.name, slot.name);
    copy_text(info.job, sizeof info.job, slot.job);
    const Page* page = pages_.view(index);
    info.released_ns = own_clock_ns(released_at(mailbox, page, info));
    if (page != nullptr) {
        if (page->joined.load() != 0) info.state = DROM_CLIENT_LIVE;
        describe_page(*page, info);
    }
    info.limited = is_limited(index, page) ? 1 : 0;
}

/// Returns whether the cpuset allowed less than the request. The process that moved the client's threads last knows.
bool Table::is_limited(uint32_t slot, const Page* page) noexcept {
    Request outside;
    const uint64_t own = page != nullptr ? page->released.load() : 0;
    if (!read_outside(ledger_, slot, outside) || outside.seq <= own)
        return page != nullptr && page->limited.load() != 0;
    Request newest;
    return read_request(ledger_, slot, newest) && newest.seq == outside.seq && !(newest.mask == outside.mask);
}

/// Returns whether nothing of the client is left, retired or not.
bool Table::is_over(uint32_t slot) const noexcept {
    Who left{};
    return is_abandoned(ledger_.slot(slot)) && (ledger_.virtual_node() || find_left(ledger_, path_, slot, left) == 0);
}

int Table::clients(drom_client_info* out, size_t* n, drom_error* error) noexcept {
    const size_t capacity = out != nullptr ? *n : 0;
    const size_t stride = capacity > 0 ? out[0].size : sizeof(drom_client_info);
    if (stride < offsetof(drom_client_info, request_seq) || stride % alignof(drom_client_info) != 0)
        return fail(error, DROM_E_INVAL, "drom: list: drom_client_info.size is %zu; set it to sizeof(drom_client_info)",
                    stride);
    size_t found = 0;
    for (uint32_t slot = 0; slot < ledger_.clients(); ++slot) {
        if (!is_live(ledger_, name_of(ledger_, slot)) || is_over(slot)) continue;
        if (found < capacity) {
            // The caller's structure may be an older one, which ends earlier, or a newer one.
            drom_client_info info{};
            info.size = stride;
            describe(slot, info);
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

int Table::descendants(uint32_t pid, int32_t* out, size_t* n, drom_error* error) noexcept {
    const VerbText verb("descendants", pid);
    const auto room = static_cast<uint32_t>(out != nullptr ? std::min<size_t>(*n, UINT32_MAX) : 0);
    const User user = find_listed_user(ledger_, pid);
    if (user.slot == kNoSlot) return fail(error, DROM_E_NOPROC, "%s: it is no client (any more)", verb.text);
    const Who who = read_who(ledger_.slot(user.slot).client);
    *n = 0;
    ClientTree tree(ledger_, path_, user.slot, who.pid);
    const Verdict life = verdict(who);
    if (ledger_.virtual_node()) return succeed(error);  // it has no processes
    if (life == Verdict::kUnknown)
        return fail(error, DROM_E_NOPROC,
                    "%s: its process cannot be seen from this pid namespace; ask from within its own", verb.text);
    if (life == Verdict::kDead) tree.forget_process();
    *n = tree.list(out, room);
    if (*n <= room) return succeed(error);
    return fail(error, DROM_E_FULL, "%s: %s, room for %u", verb.text,
                CountText(static_cast<uint32_t>(*n), "process").text, room);
}

int Table::events(uint64_t* next, drom_event* out, size_t* n, uint32_t timeout_ms, drom_error* error) noexcept {
    Header& header = ledger_.header();
    const uint64_t deadline = deadline_in_ms(timeout_ms);
    if (*next == UINT64_MAX) *next = header.event_head.load();
    const size_t capacity = *n;
    for (;;) {
        const uint32_t bell = header.event_bell.load();  // before looking: an event that comes later rings again
        if (*n = copy_events(ledger_, *next, out, capacity); *n > 0) return succeed(error);
        const uint64_t now = now_ns();
        if (now >= deadline) break;
        if (const int status = still_there(ledger_, path_, error); status != DROM_OK) return status;
        // An observer cannot announce that it waits, so no recorder wakes it: it looks again by itself.
        constexpr uint64_t kObserverLooks = 20 * kMillisecond;
        if (ledger_.writable) header.event_waiters.fetch_add(1);
        futex_wait(&header.event_bell, bell, ledger_.writable ? deadline : std::min(deadline, now + kObserverLooks));
        if (ledger_.writable) header.event_waiters.fetch_sub(1);
    }
    succeed(error);
    return DROM_UNCHANGED;
}

}  // namespace drom
