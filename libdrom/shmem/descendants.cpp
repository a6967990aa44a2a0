// SPDX-License-Identifier: BSD-3-Clause
// descendants.cpp - the processes of a client.
#include "descendants.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "base/process_stat.hpp"
#include "base/short_list.hpp"
#include "children.hpp"
#include "claims.hpp"
#include "drom/drom.h"
#include "futex.hpp"
#include "mailbox.hpp"
#include "slots.hpp"

namespace drom {

namespace {

// --- what /proc says of one process --------------------------------------------------------------------------------

/// Returns 0 when the process has ended.
uint32_t parent_of(int proc, uint32_t pid) noexcept {
    char path[24];
    snprintf(path, sizeof path, "%u/stat", pid);
    ProcessStat stat;
    return read_stat(proc, path, stat) == 0 ? stat.parent : 0;
}

/// The work of the threads of a process.
struct Activity {
    uint32_t busy = 0;  ///< threads that may be inside the kernel, running or not
    uint64_t ran_ns = 0;
};

/// Reads the thread's state and its nanoseconds on a CPU (0 where the kernel does not count them).
bool read_activity(const Tasks& threads, uint32_t tid, char& state, uint64_t& ran_ns) noexcept {
    char path[32];
    char text[256];
    snprintf(path, sizeof path, "%u/stat", tid);
    ProcessStat stat;
    if (read_stat(threads.descriptor(), path, stat) != 0) return false;
    state = stat.state;
    snprintf(path, sizeof path, "%u/schedstat", tid);
    ran_ns = read_text(threads.descriptor(), path, text, sizeof text) > 0 ? strtoull(text, nullptr, 10) : 0;
    return true;
}

Activity activity_of(Tasks& threads) noexcept {
    Activity all;
    threads.rewind();
    threads.each([&](uint32_t tid) {
        char state = 'Z';
        uint64_t ran_ns = 0;
        if (!read_activity(threads, tid, state, ran_ns)) return;
        all.ran_ns += ran_ns;
        if (state == 'R' || state == 'D') ++all.busy;
    });
    return all;
}

/// Returns whether no fork is under way that began before the process was moved. A child gets its parent's mask when
/// the fork begins, and is listed when the fork ends. A sleeping thread is in no fork, and a thread that has run for
/// this long has left its fork.
bool is_settled(Tasks& threads, uint64_t ran_ns) noexcept {
    constexpr uint64_t kLongestFork = 2 * kMillisecond;
    const Activity now = activity_of(threads);
    return now.ran_ns >= ran_ns + kLongestFork * now.busy;
}

bool has_ended(int error) noexcept { return error == ENOENT || error == ESRCH; }

int status_of(int error) noexcept {
    if (has_ended(error)) return DROM_E_NOPROC;
    return error == EACCES || error == EPERM ? DROM_E_PERM : DROM_E_OS;
}

/// Reads the line of a process's first thread. Returns 0 or errno.
int read_first_thread(const Tasks& threads, uint32_t pid, ProcessStat& stat) noexcept {
    char path[24];
    snprintf(path, sizeof path, "%u/stat", pid);
    return read_stat(threads.descriptor(), path, stat);
}

/// Returns whether the process with these threads is `identity`, and lives.
Liveness liveness_of(const ProcessIdentity& identity, const Tasks& threads) noexcept {
    ProcessStat stat;
    const int error = read_first_thread(threads, identity.pid, stat);
    if (error != 0) return has_ended(error) ? Liveness::kDead : Liveness::kUnknown;
    return liveness(identity, stat);
}

// --- the processes of a pass ---------------------------------------------------------------------------------------

struct Found {
    uint32_t pid;
    uint32_t parent;
    uint64_t start;   ///< 0: not read yet
    bool known;       ///< the last pass has moved it, or had moved its parent before it was started
    bool ended;       ///< a zombie without another thread
    bool settled;     ///< no fork from before it was moved is under way
    uint64_t ran_ns;  ///< processor time of its threads when it had just been moved
};

/// The processes of a pass, by number.
class FoundList : public ShortList<Found, 64> {
public:
    Found* find(uint32_t pid) noexcept {
        for (uint32_t i = 0; i < count(); ++i)
            if ((*this)[i].pid == pid) return &(*this)[i];
        return nullptr;
    }
};

struct Role {
    bool client = false;
    bool launcher = false;  ///< the processes below it belong to that client
};

// --- the walk ------------------------------------------------------------------------------------------------------

/// Passes over a client's tree.
class Walk {
public:
    Walk(const Ledger& ledger, const char* table, uint32_t slot, KnownLauncher* known) noexcept
        : ledger_(ledger), table_(table), slot_(slot), known_(known) {}

    /// Calls `visit(threads, found, again)` for each process, the client first. `visit` returns how many threads it
    /// moved; less than 0: the process has ended meanwhile. `client`: the client's threads, without a directory if the
    /// client has ended. Returns false when nothing more can be learned; status() says why.
    template <class Visit>
    bool pass(uint32_t pid, Tasks& client, const Visit& visit) noexcept {
        std::swap(now_, before_);
        now_->cut(0);
        news_ = unsettled_ = false;
        if (client.ok()) visit_client(pid, client, visit);
        uint32_t next = now_->count() > 0 ? 1 : 0;
        // The launcher's children come last. By then they include the processes whose parents ended while other
        // processes were asked.
        for (bool asked = false; status_ == DROM_OK;) {
            if (next < now_->count()) {
                visit_next(next++, visit);
                continue;
            }
            if (asked) break;
            asked = true;
            add_adopted();
        }
        return status_ == DROM_OK;
    }

    /// Returns whether a process may have been missed.
    [[nodiscard]] bool is_incomplete() const noexcept { return news_; }
    /// Returns whether a process that was moved may be inside a fork that it began before. The client alone is not
    /// waited for.
    [[nodiscard]] bool is_unsettled() const noexcept { return unsettled_ && now_->count() > 1; }
    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] uint32_t count() const noexcept { return now_->count(); }
    [[nodiscard]] const Found& operator[](uint32_t index) const noexcept { return (*now_)[index]; }

    /// Returns the process's part in other clients.

    [[nodiscard]] Role role_of(uint32_t pid) const noexcept {
        Role role;
        for (uint32_t i = 0; i < ledger_.clients(); ++i) {
            const Slot& slot = ledger_.slot(i);
            const SlotState state = state_of(slot);
            if (i == slot_ || !state.takes_part()) continue;
            role.client |= slot.client.pid.load(std::memory_order_relaxed) == pid && is_that(slot.client);
            role.launcher |= (state.flags & slot_flag::kTree) != 0 &&
                             slot.launcher.pid.load(std::memory_order_relaxed) == pid && is_that(slot.launcher);
        }
        return role;
    }

private:
    static bool is_that(const IdentityWords& identity) noexcept {
        return liveness(read_identity(identity)) == Liveness::kAlive;
    }

    void add(const Found& found) noexcept {
        if (now_->find(found.pid) == nullptr && !now_->add(found)) status_ = DROM_E_OS;
    }

    /// Visits the client itself. The caller opened the directory, so it is known to be the client's.
    template <class Visit>
    void visit_client(uint32_t pid, Tasks& threads, const Visit& visit) noexcept {
        const bool again = before_->count() > 0;
        add({pid, 0, 1, again, false, false, 0});
        const Found found = (*now_)[0];
        const int moved = visit(threads, found, again);
        if (moved >= 0) add_children(threads, found);
        if (now_->count() > 1) note_settled(0, threads, again ? &(*before_)[0] : nullptr, moved);
    }

    void note_settled(uint32_t index, Tasks& threads, const Found* last, int moved) noexcept {
        Found& found = (*now_)[index];
        if (moved > 0) {
            found.ran_ns = activity_of(threads).ran_ns;
        } else if (last == nullptr || last->settled) {
            found.settled = true;
        } else {
            found.ran_ns = last->ran_ns;
            found.settled = is_settled(threads, found.ran_ns);
        }
        unsettled_ |= !found.settled;
    }

    template <class Visit>
    void visit_next(uint32_t index, const Visit& visit) noexcept {
        Tasks threads((*now_)[index].pid);
        if (!threads.ok()) return miss(index, threads.error());
        look(index, threads, visit);
    }

    /// Notes a process that cannot be looked at.
    void miss(uint32_t index, int error) noexcept {
        if (!has_ended(error)) status_ = status_of(error);
        if (!(*now_)[index].known) news_ = true;
    }

    template <class Visit>
    void look(uint32_t index, Tasks& threads, const Visit& visit) noexcept {
        Found found = (*now_)[index];
        ProcessStat stat;
        if (const int error = read_first_thread(threads, found.pid, stat); error != 0) return miss(index, error);
        // The number now means another process, or the process has just got another parent; the next pass meets it
        // there.
        if (found.parent != stat.parent) return miss(index, ESRCH);
        const Found* last = before_->find(found.pid);
        const bool again = last != nullptr && last->start == stat.start;
        found.start = stat.start;
        found.known |= again;
        found.ended = stat.has_ended();
        (*now_)[index] = found;
        if (role_of(found.pid).client) return forget(index);
        news_ |= !found.known;
        const int moved = visit(threads, found, again);
        if (moved < 0) return miss(index, ESRCH);
        add_children(threads, found);
        note_settled(index, threads, again ? last : nullptr, moved);
    }

    /// Forgets a process that is a client of its own; the processes below it are not visited either.
    void forget(uint32_t index) noexcept { (*now_)[index].start = 0; }

    void add_children(Tasks& threads, const Found& parent) noexcept {
        if (parent.pid == own_pid_ && has_no_child()) return;
        const uint32_t before = now_->count();
        find_children(threads, {0, parent.pid, 0, parent.known, false, false, 0});
        if (now_->count() > before && role_of(parent.pid).launcher) now_->cut(before);
    }

    /// Asks every thread, as a child belongs to the thread that made it. A process whose first thread has ended looks
    /// like a zombie by its own entry.
    void find_children(Tasks& threads, Found child) noexcept {
        if (!threads.ok()) return note(threads.error());
        threads.rewind();
        const bool complete = threads.each([&](uint32_t tid) { find_children_of(threads, tid, child); });
        if (!complete) note(errno);
    }

    void find_children_of(const Tasks& threads, uint32_t tid, Found& child) noexcept {
        const int file = open_children(threads, tid);
        if (file < 0) return errno == ENOENT ? scan(threads, tid, child) : note(errno);
        if (add_listed(file, child) < 0) note(errno);
        close(file);
    }

    /// Returns how many children the list has; less than 0: it could not be read.
    int add_listed(int file, Found& child) noexcept {
        Children last;
        const bool read = read_all_children(file, last, [&](uint32_t pid) {
            child.pid = pid;
            add(child);
        });
        return read ? static_cast<int>(last.count) : -1;
    }

    /// Notes an error. The children of a thread or a process that has just ended have another parent by now.
    void note(int error) noexcept {
        if (has_ended(error))
            news_ = true;
        else
            status_ = status_of(error);
    }

    /// Asks every process for its parent, where the kernel has no lists of children or the thread has ended.
    void scan(const Tasks& threads, uint32_t tid, Found& child) noexcept {
        char path[32];
        snprintf(path, sizeof path, "%u/stat", tid);
        if (faccessat(threads.descriptor(), path, R_OK, 0) != 0) return note(errno);
        const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (proc < 0) return note(errno);
        Tasks all(proc, ".");
        const bool complete = all.ok() && all.each([&](uint32_t pid) {
            if (parent_of(proc, pid) != child.parent) return;
            child.pid = pid;
            add(child);
        });
        if (!complete) status_ = DROM_E_OS;
        close(proc);
    }

    void add_adopted() noexcept {
        const Slot& slot = ledger_.slot(slot_);
        if ((state_of(slot).flags & slot_flag::kTree) == 0) return;
        const ProcessIdentity launcher = read_identity(slot.launcher);
        if (launcher.pidns != self().pidns) return;  // from here the launcher has another number, or none
        if (add_children_of_known(launcher)) return;
        Tasks threads(launcher.pid);
        if (!threads.ok()) return miss_launcher(threads.error());
        const Liveness life = add_children_of_launcher(launcher, threads);
        if (life == Liveness::kDead) add_claimed();
    }

    void miss_launcher(int error) noexcept {
        if (error == EPERM) return;  // a mount that hides other users' processes: nothing is known of it
        return has_ended(error) ? add_claimed() : note(error);
    }

    /// Reads the lists first: those of a launcher that lives after that were complete.
    Liveness add_children_of_launcher(const ProcessIdentity& launcher, Tasks& threads) noexcept {
        const uint32_t before = now_->count();
        find_children(threads, {0, launcher.pid, 0, false, false, false, 0});
        const Liveness life = liveness_of(launcher, threads);
        if (life != Liveness::kAlive) now_->cut(before);
        if (life == Liveness::kAlive && known_ != nullptr) known_->note(launcher, threads);
        return life;
    }

    /// Adds the children of a launcher that was found alive before. Returns false where it is not proved that it still
    /// lives, or where it has several threads.
    bool add_children_of_known(const ProcessIdentity& launcher) noexcept {
        if (known_ == nullptr || !known_->is(launcher)) return false;
        if (known_->descriptor() < 0) return add_siblings(launcher.pid);
        Tasks kept(Tasks::Kept{known_->descriptor()});
        kept.rewind();
        // A process that has a child lives.
        return add_only_list(kept, launcher.pid) > 0;  // mutant childless
    }

    /// Adds the children of this process's parent, if that is the launcher. Every process that ever becomes the parent
    /// of this one lived already when the launcher was found alive. So none but the launcher has the launcher's number.
    bool add_siblings(uint32_t launcher) noexcept {
        const uint32_t before = now_->count();
        Tasks threads(launcher);
        const bool read = threads.ok() && add_only_list(threads, launcher) > 0;
        // It lived while its list was read, as it is the parent after that.
        if (read && static_cast<uint32_t>(getppid()) == launcher) return true;  // mutant siblings
        now_->cut(before);
        return false;
    }

    /// Adds the children of a process with one thread, as drom run is. Returns their number; 0 or less for every other
    /// process.
    int add_only_list(Tasks& threads, uint32_t pid) noexcept {
        uint32_t count = 0;
        const bool all = threads.each([&](uint32_t) { ++count; });
        if (!all || count != 1) return 0;  // mutant only-list
        const int file = open_children(threads, pid);
        if (file < 0) return 0;
        Found child{0, pid, 0, false, false, false, 0};
        const int listed = add_listed(file, child);
        close(file);
        return listed;
    }

    /// Adds the processes that carry the reservation: no process is above all of them any more.
    void add_claimed() noexcept {
        const Slot& slot = ledger_.slot(slot_);
        const Claim claim{table_, slot_, state_of(slot).generation, slot.uid.load(std::memory_order_relaxed)};
        const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (proc < 0) return note(errno);
        Tasks all(proc, ".");
        const bool complete = all.ok() && all.each([&](uint32_t pid) {
            if (now_->find(pid) != nullptr || !carries(pid, claim)) return;
            const uint32_t parent = parent_of(proc, pid);
            if (parent != 0) add({pid, parent, 0, false, false, false, 0});
        });
        if (!complete) status_ = DROM_E_OS;
        close(proc);
    }

    const Ledger& ledger_;
    const char* table_;
    uint32_t slot_;
    KnownLauncher* known_;
    const uint32_t own_pid_ = static_cast<uint32_t>(getpid());
    FoundList lists_[2];
    FoundList* now_ = &lists_[0];
    FoundList* before_ = &lists_[1];
    bool news_ = false;
    bool unsettled_ = false;
    int status_ = DROM_OK;
};

/// Moves a process to the CPUs of its own request: it became a client while it was moved with its parent.
void give_its_own(const Ledger& ledger, uint32_t pid, Tasks& tasks, const CpuSet& given, uint64_t deadline) noexcept {
    const uint32_t slot = find_pid(ledger, pid);
    Request own;
    if (slot != kNoSlot && read_request(ledger, slot, own))
        confine(tasks, Visit::kDescendant, {given, given}, own.mask, deadline);
}

void wait_for_forks() noexcept {
    const Half nothing{0};
    futex_wait(&nothing, 0, now_ns() + kMillisecond / 2);
}

/// Adds what was done to one process. `pid`: the descendant's; 0: the client.
void add_up(Confined& total, const Confined& one, uint32_t pid) noexcept {
    total.threads += one.threads;
    total.moved += one.moved;
    if (pid == 0) total.refused = total.refused | one.refused;
    if (one.status == DROM_OK || total.status != DROM_OK) return;
    total.status = one.status;
    total.process = pid;
}

}  // namespace

bool KnownLauncher::is(const ProcessIdentity& launcher) const noexcept {
    return identity_.pid != 0 && identity_ == launcher;
}

void KnownLauncher::note(const ProcessIdentity& launcher, Tasks& threads) noexcept {
    forget();
    identity_ = launcher;
    if (keeps_) descriptor_ = threads.give();
}

void KnownLauncher::forget() noexcept {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
    identity_ = {};
}

ClientTree::ClientTree(const Ledger& ledger, const char* table, uint32_t slot, uint32_t pid,
                       KnownLauncher* known) noexcept
    : ledger_(ledger),
      table_(table),
      slot_(slot),
      pid_(pid != 0 ? pid : static_cast<uint32_t>(getpid())),
      known_(known),
      threads_(pid) {}

void ClientTree::forget_process() noexcept { threads_.forget(); }

Confined ClientTree::confine(const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept {
    Confined total{DROM_OK, {}, 0, 0};
    if (threads_.error() != 0) return {status_of(threads_.error()), {}, 0, 0};
    Walk walk(ledger_, table_, slot_, known_);
    const auto visit = [&](Tasks& tasks, const Found& found, bool again) {
        const bool client = found.parent == 0;
        const Visit visited = again ? Visit::kAgain : client ? Visit::kClient : Visit::kDescendant;
        const Confined one = drom::confine(tasks, visited, origin, now, deadline_ns);
        if (one.moved > 0 && !client && walk.role_of(found.pid).client)
            give_its_own(ledger_, found.pid, tasks, now, deadline_ns);
        if (one.status == DROM_E_NOPROC && !client) return -1;
        add_up(total, one, client ? 0 : found.pid);
        return static_cast<int>(one.moved);
    };
    for (;;) {
        total.threads = 0;
        if (!walk.pass(pid_, threads_, visit)) total.status = walk.status();
        if (total.status != DROM_OK || (!walk.is_incomplete() && !walk.is_unsettled())) return total;
        if (now_ns() >= deadline_ns) break;
        if (!walk.is_incomplete()) wait_for_forks();
    }
    if (walk.is_incomplete()) total.status = DROM_E_TIMEOUT;
    return total;
}

uint32_t ClientTree::list(int32_t* pids, uint32_t room) noexcept {
    Walk walk(ledger_, table_, slot_, known_);
    constexpr int kPasses = 4;
    for (int i = 0; i < kPasses; ++i) {
        const bool done = walk.pass(pid_, threads_, [](Tasks&, const Found&, bool) { return 0; });
        if (!done || !walk.is_incomplete()) break;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < walk.count(); ++i) {
        if (walk[i].start == 0 || walk[i].parent == 0 || walk[i].ended) continue;
        if (count < room) pids[count] = static_cast<int32_t>(walk[i].pid);
        ++count;
    }
    return count;
}

namespace {

/// Passes once over the client in `slot` and its descendants. Returns false where something cannot be seen. A client of
/// another pid namespace has no visible process.
template <class Visit>
bool pass_once(const Ledger& ledger, const char* table, uint32_t slot, const Visit& visit) noexcept {
    const ProcessIdentity identity = read_identity(ledger.slot(slot).client);
    Tasks client(identity.pid);  // before liveness(), so that no other process is looked at instead
    const Liveness life = liveness(identity);
    if (life == Liveness::kUnknown) return true;
    if (life != Liveness::kAlive) client.forget();
    return Walk(ledger, table, slot, nullptr).pass(identity.pid, client, visit);
}

}  // namespace

bool is_within(const Ledger& ledger, const char* table, uint32_t slot, const CpuSet& mask) noexcept {
    bool within = true;
    const auto visit = [&](Tasks& tasks, const Found&, bool) {
        tasks.rewind();
        const bool all = tasks.each([&](uint32_t tid) {
            CpuSet thread{};
            if (get_affinity(tid, thread)) within &= mask.contains(thread);
        });
        return all ? 0 : -1;
    };
    return pass_once(ledger, table, slot, visit) && within;
}

bool is_in_tree(const Ledger& ledger, const char* table, uint32_t slot, uint32_t tid) noexcept {
    bool found = false;
    const auto visit = [&](Tasks&, const Found& process, bool) {
        found |= syscall(SYS_tgkill, process.pid, tid, 0) == 0;
        return 0;
    };
    pass_once(ledger, table, slot, visit);
    return found;
}

uint32_t find_left(const Ledger& ledger, const char* table, uint32_t slot, ProcessIdentity& first) noexcept {
    if ((state_of(ledger.slot(slot)).flags & slot_flag::kTree) == 0) return 0;
    constexpr uint32_t kRoom = 64;
    int32_t pids[kRoom];
    ClientTree tree(ledger, table, slot, 0, nullptr);
    tree.forget_process();
    const uint32_t left = tree.list(pids, kRoom);
    for (uint32_t i = 0; i < std::min(left, kRoom); ++i)
        if (identify(static_cast<uint32_t>(pids[i]), first)) return left;
    return 0;
}

bool pass_on(const Ledger& ledger, const char* table, uint32_t slot) noexcept {
    Slot& words = ledger.slot(slot);
    const uint32_t generation = state_of(ledger.slot(slot)).generation;
    uint32_t ended = words.client.pid.load();
    ProcessIdentity next{};
    if (ledger.virtual_node() || find_left(ledger, table, slot, next) == 0) return false;
    // Another administrator may have written a successor meanwhile. Then the next call judges that one.
    if (!replace_client(words, ended, next)) return true;
    sign_takeover(ledger, slot, generation,
                  phase::kFree);  // the liveness of the former process does not hold for this one
    return true;
}

}  // namespace drom
