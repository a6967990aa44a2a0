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
#include "forks.hpp"
#include "found_processes.hpp"
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

// --- the walk ------------------------------------------------------------------------------------------------------

struct Role {
    bool client = false;
    bool launcher = false;  ///< the processes below it belong to that client
};

/// Passes over a client's tree.
class Walk {
public:
    /// Makes one. `moves`: the announcements of other movers; null for a walk that moves nothing, and proves nothing.
    Walk(const Ledger& ledger, const char* table, uint32_t slot, KnownLauncher* known, Moves* moves = nullptr) noexcept
        : ledger_(ledger), table_(table), slot_(slot), known_(known), moves_(moves) {}

    /// Calls `visit(threads, found, again)` for each process, the client first. `visit` returns how many threads it
    /// moved; less than 0: the process has ended meanwhile. `client`: the client's threads, without a directory if the
    /// client has ended. Returns false when nothing more can be learned; status() says why.
    template <class Visit>
    bool pass(uint32_t pid, Tasks& client, const Visit& visit) noexcept {
        std::swap(now_, before_);
        now_->cut(0);
        ++passes_;
        news_ = unsettled_ = inside_ = false;
        next_ = client.ok() ? 1 : 0;
        if (client.ok()) visit_client(pid, client, visit);
        visit_listed(visit);
        // The launcher's children come late. By then they include the processes whose parents ended while other
        // processes were asked.
        add_adopted();
        visit_listed(visit);
        if (client.ok() && now_->count() > 1) settle_client(client);
        add_lost();
        visit_listed(visit);
        return status_ == DROM_OK;
    }

    /// Returns whether a process may have been missed.
    [[nodiscard]] bool is_incomplete() const noexcept { return news_; }
    /// Returns whether a process that was moved may be inside a fork that it began before. A client without descendants
    /// is not waited for.
    [[nodiscard]] bool is_unsettled() const noexcept { return unsettled_; }
    /// Returns whether each such process is only short of processor time: it has been here since the first pass, and no
    /// thread of it waits in the kernel.
    [[nodiscard]] bool is_starved() const noexcept { return unsettled_ && !inside_ && !is_incomplete(); }
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

    void add(Found found) noexcept {
        if (now_->find(found.pid) != nullptr) return;
        // The parent was closed after it had been listed.
        const Found* last = before_->find(found.pid);
        found.pass = last != nullptr ? last->pass : passes_;
        if (last != nullptr) found.bred &= last->bred;
        if (!now_->add(found)) status_ = DROM_E_OS;
    }

    template <class Visit>
    void visit_listed(const Visit& visit) noexcept {
        while (status_ == DROM_OK && next_ < now_->count()) visit_next(next_++, visit);
    }

    /// Visits the client itself. The caller opened the directory, so it is known to be the client's.
    template <class Visit>
    void visit_client(uint32_t pid, Tasks& threads, const Visit& visit) noexcept {
        const bool again = before_->count() > 0;
        add({.pid = pid, .parent = 0, .start = 1});
        const Found found = (*now_)[0];
        client_moved_ = visit(threads, found, again);
        if (client_moved_ >= 0) add_children(threads, pid, is_client_closed());
    }

    [[nodiscard]] bool is_client_closed() const noexcept { return before_->count() > 0 && (*before_)[0].is_closed(); }

    /// Asks the client again, which has descendants. That is saved for a client alone.
    void settle_client(Tasks& threads) noexcept {
        if (moves_ == nullptr || client_moved_ < 0) return;
        settle(0, threads, before_->count() > 0 ? &(*before_)[0] : nullptr, client_moved_);
        list_children(0, threads, is_client_closed());
    }

    /// Adds the processes that were moved and are not settled, as long as they live, wherever their parents are now.
    void add_lost() noexcept {
        for (uint32_t i = 0; i < before_->count(); ++i) {
            const Found& last = (*before_)[i];
            if (!last.settled && last.start != 0) add({.pid = last.pid, .parent = last.parent});
        }
    }

    /// Finds out whether a process that was just visited is settled. `last`: what the last pass found.
    void settle(uint32_t index, Tasks& threads, const Found* last, int moved) noexcept {
        Found& found = (*now_)[index];
        if (moved == 0 && (last != nullptr ? last->settled : is_untouched(found))) {
            found.settled = true;
            return;
        }
        if ((moved > 0 || last == nullptr) && !forks_.note(found.pid, threads)) status_ = DROM_E_OS;
        found.settled = forks_.are_over(found.pid, threads);  // mutant settled
        // The child of a fork that is over by now may end before this process is asked for its children. Its own
        // children may be in a list that was read before.
        news_ |= found.settled && !found.bred;  // mutant just-settled
        unsettled_ |= !found.settled;
        inside_ |= !found.settled && (found.pass > 1 || forks_.waits_in_kernel(found.pid));  // mutant starved
    }

    /// Returns whether no mover can have moved a process that was found inside: proof 1. A client that moves its own
    /// threads has begun with that before it looks.
    [[nodiscard]] bool is_untouched(const Found& found) const noexcept {
        if (moves_ == nullptr || found.bred) return true;
        return found.pid != own_pid_ && !moves_->may_include(found.parent == 0 ? 0 : found.began);  // mutant untouched
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
        if (!(*now_)[index].bred) lose_child_of((*now_)[index].parent);  // mutant gone
    }

    /// Notes that a child of this process may have been missed.
    void lose_child_of(uint32_t parent) noexcept {
        news_ = true;
        if (Found* found = now_->find(parent); found != nullptr) found->listed = false;
    }

    template <class Visit>
    void look(uint32_t index, Tasks& threads, const Visit& visit) noexcept {
        Found found = (*now_)[index];
        ProcessStat stat;
        if (const int error = read_first_thread(threads, found.pid, stat); error != 0) return miss(index, error);
        const Found* last = before_->find(found.pid);
        if (last != nullptr && last->start != stat.start) last = nullptr;
        // The number now means another process, or the process has just got another parent; the next pass meets it
        // there.
        if (last == nullptr && found.parent != stat.parent) return miss(index, ESRCH);
        found.parent = stat.parent;
        found.start = stat.start;
        found.began = start_of(stat);
        found.ended = stat.has_ended();
        (*now_)[index] = found;
        if (found.ended) return note_end(index, last);
        if (role_of(found.pid).client) return forget(index);
        const int moved = visit(threads, found, last != nullptr);
        if (moved < 0) return miss(index, ESRCH);
        settle(index, threads, last, moved);
        list_children(index, threads, found.bred || (last != nullptr && last->is_closed()));
    }

    /// Notes a process that has ended. Its children may be in a list that was read before, unless the last pass has
    /// found that already.
    void note_end(uint32_t index, const Found* last) noexcept {
        Found& found = (*now_)[index];
        found.ended = found.settled = true;
        news_ |= !found.bred && (last == nullptr || !last->ended);  // mutant just-ended
    }

    /// Forgets a process that is a client of its own; the processes below it are not visited either.
    void forget(uint32_t index) noexcept { (*now_)[index].start = 0; }

    /// Adds the children of a process. `closed`: all that it had earlier are known, and the others are bred.
    void list_children(uint32_t index, Tasks& threads, bool closed) noexcept {
        const uint32_t pid = (*now_)[index].pid;
        add_children(threads, pid, closed);
        if (!closed && moves_ != nullptr && has_no_thread(threads, pid)) note_end(index, nullptr);
    }

    static bool has_no_thread(const Tasks& threads, uint32_t pid) noexcept {
        ProcessStat stat;
        return read_first_thread(threads, pid, stat) != 0 || stat.has_ended();
    }

    void add_children(Tasks& threads, uint32_t parent, bool closed) noexcept {
        if (parent == own_pid_ && has_no_child()) return;
        const uint32_t before = now_->count();
        find_children(threads, {.pid = 0, .parent = parent, .bred = closed});
        if (now_->count() > before && role_of(parent).launcher) now_->cut(before);
    }

    /// Asks every thread, as a child belongs to the thread that made it. A process whose first thread has ended looks
    /// like a zombie by its own entry.
    void find_children(Tasks& threads, Found child) noexcept {
        if (!threads.ok()) return note(threads.error(), child.parent);
        threads.rewind();
        const bool complete = threads.each([&](uint32_t tid) { find_children_of(threads, tid, child); });
        if (!complete) note(errno, child.parent);
    }

    void find_children_of(const Tasks& threads, uint32_t tid, Found& child) noexcept {
        const int file = open_children(threads, tid);
        if (file < 0) return errno == ENOENT ? scan(threads, tid, child) : note(errno, child.parent);
        if (add_listed(file, child) < 0) note(errno, child.parent);
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

    /// Notes an error. The children of a thread or a process that has just ended have another parent by now. `parent`:
    /// of the list that could not be read; 0: it is no process of the pass.
    void note(int error, uint32_t parent = 0) noexcept {
        if (has_ended(error) || error == EAGAIN)
            lose_child_of(parent);
        else
            status_ = status_of(error);
    }

    /// Asks every process for its parent, where the kernel has no lists of children or the thread has ended.
    void scan(const Tasks& threads, uint32_t tid, Found& child) noexcept {
        char path[32];
        snprintf(path, sizeof path, "%u/stat", tid);
        if (faccessat(threads.descriptor(), path, R_OK, 0) != 0) return note(errno, child.parent);
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
        find_children(threads, {.pid = 0, .parent = launcher.pid});
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
        Found child{.pid = 0, .parent = pid};
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
            if (parent != 0) add({.pid = pid, .parent = parent});
        });
        if (!complete) status_ = DROM_E_OS;
        close(proc);
    }

    const Ledger& ledger_;
    const char* table_;
    uint32_t slot_;
    KnownLauncher* known_;
    Moves* moves_;
    const uint32_t own_pid_ = static_cast<uint32_t>(getpid());
    Forks forks_;
    FoundList lists_[2];
    FoundList* now_ = &lists_[0];
    FoundList* before_ = &lists_[1];
    uint32_t next_ = 0;  ///< the first that was listed and not visited
    int client_moved_ = 0;
    uint32_t passes_ = 0;
    bool news_ = false;
    bool unsettled_ = false;
    bool inside_ = false;  ///< one of the unsettled ones may be inside a fork for another reason than too little time
    int status_ = DROM_OK;
};

/// Moves a process to the CPUs of its own request: it became a client while it was moved with its parent.
void give_its_own(const Ledger& ledger, uint32_t pid, Tasks& tasks, const CpuSet& given, uint64_t deadline) noexcept {
    const uint32_t slot = find_pid(ledger, pid);
    Request own;
    if (slot != kNoSlot && read_request(ledger, slot, own))
        confine(tasks, Visit::kDescendant, {given, given}, own.mask, deadline);
}

/// Time for which a release waits while all that it waits for gets too little of a CPU to leave a fork. Other clients
/// wait for the CPUs meanwhile.
constexpr uint64_t kPatience = 50 * kMillisecond;

/// Waits as long as the last pass took, so that a large tree takes half of a CPU at most.
void wait_for_forks(uint64_t pass_ns) noexcept {
    const Half nothing{0};
    futex_wait(&nothing, 0, now_ns() + std::max(pass_ns, kMillisecond / 2));
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

Confined ClientTree::confine(const Origin& origin, const CpuSet& now, uint64_t deadline_ns, Moves& moves) noexcept {
    Confined total{DROM_OK, {}, 0, 0};
    if (threads_.error() != 0) return {status_of(threads_.error()), {}, 0, 0};
    Walk walk(ledger_, table_, slot_, known_, &moves);
    const auto visit = [&](Tasks& tasks, const Found& found, bool again) {
        moves.announce();  // mutant announce
        const bool client = found.parent == 0;
        const Visit visited = again ? Visit::kAgain : client ? Visit::kClient : Visit::kDescendant;
        const Confined one = drom::confine(tasks, visited, origin, now, deadline_ns);
        if (one.moved > 0 && !client && walk.role_of(found.pid).client)
            give_its_own(ledger_, found.pid, tasks, now, deadline_ns);
        if (one.status == DROM_E_NOPROC && !client) return -1;
        add_up(total, one, client ? 0 : found.pid);
        return static_cast<int>(one.moved);
    };
    constexpr int kAtOnce = 16;  // passes over a tree in which processes end meanwhile
    uint64_t starved_since = now_ns();
    for (int passes = 1;; ++passes) {
        total.threads = 0;
        const uint64_t began = now_ns();
        if (!walk.pass(pid_, threads_, visit)) total.status = walk.status();
        total.processes = walk.count();
        if (total.status != DROM_OK || (!walk.is_incomplete() && !walk.is_unsettled())) return total;
        const uint64_t ended = now_ns();
        if (!walk.is_starved()) starved_since = ended;  // mutant starved-since
        if (ended >= starved_since + kPatience) return total;
        if (ended >= deadline_ns || !origin.is_newest()) break;
        if (!walk.is_incomplete() || passes > kAtOnce) wait_for_forks(ended - began);
    }
    total.status = DROM_E_TIMEOUT;  // mutant in-time
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
            const int code = read_affinity(tid, thread);
            if (code != ESRCH) within &= code == 0 && mask.contains(thread);
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
