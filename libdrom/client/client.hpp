// SPDX-License-Identifier: BSD-3-Clause
// client.hpp - this process as a client: join, read requests, release CPUs, acknowledge, leave.
//
// One client per process. The entry points (openmp/, mpi/, api/) decide when to look; this file does the rest.
// Nothing here allocates, locks, prints or ends the process, on the idle path or on an adoption.
#pragma once

#include <pthread.h>
#include <atomic>
#include <cstdint>

#include "base/request.hpp"
#include "drom/drom.h"
#include "shmem/layout.hpp"

namespace drom::client {

/// The words that the hot path reads, on a cache line that is written only when a request is adopted. `request` is
/// never null: before join and after fork or leave it points to a word that equals `seen`.
struct alignas(64) Hot {
    std::atomic<const Word*> request;
    std::atomic<uint64_t> seen;  ///< newest request that the safe point is done with (resized, or found that it must
                                 ///< not)
};
extern Hot hot;
/// The word to which `hot.request` points while this process is no client.
extern const Word kNothing;

/// Returns whether there is a request that the safe point is not done with. Two loads. Any thread.
inline bool pending() noexcept {
    // Acquire pairs with the administrator's publishing store: seeing the number implies seeing the words.
    return hot.request.load(std::memory_order_relaxed)->load(std::memory_order_acquire) !=
           hot.seen.load(std::memory_order_relaxed);
}

/// Answers as joined(), for the idle path: no load that pending() does not make.
inline bool reads_requests() noexcept { return hot.request.load(std::memory_order_relaxed) != &kNothing; }

struct JoinOptions {
    const CpuSet* mask;     ///< the CPUs that it may run on at this moment; nullptr: the process's affinity
    uint32_t entry_points;  ///< DROM_ENTRY_*
    bool async;             ///< start the agent's own thread
    const char* name;
    const char* job;
    uint32_t min_cpus, max_cpus;
    bool rigid;
    const CpuSet* claim = nullptr;  ///< the CPUs that it asks to own, as far as they are free; nullptr: the mask
    const char* where = nullptr;    ///< the table; nullptr: DROM_TABLE or the user's own
    /// The process whose reservation this one takes over. 0: the one that DROM_SLOT names, or its own; kNoReservation:
    /// none.
    uint32_t reserved_for = 0;
    const char* name_end = "";  ///< appended to the name, which is cut for it: ".3" for rank 3
};
inline constexpr uint32_t kNoReservation = UINT32_MAX;

/// Joins the table (DROM_TABLE, DROM_SLOT or the user's own, created if needed). About 100 us. E_NOINIT when
/// DROM_DISABLE=1 or the host is set-uid. E_BUSY while this process is a client, and after it was one by OpenMP or MPI
/// entry points. A program that took part by explicit calls alone may leave and join again, and so may a forked child.
int join(const JoinOptions&, drom_error*) noexcept;
/// Returns the path of the joined table. Valid while joined.
const char* path() noexcept;
bool joined() noexcept;
/// Returns false on a virtual node (DROM_VIRTUAL), whose masks are no affinities. Only while joined.
bool moves_threads() noexcept;
int leave(drom_error*) noexcept;
/// Returns whether this process was forked by a client and is none itself.
bool is_child_of_client() noexcept;

/// Starts the agent's own thread, if there is none, and waits until it has begun. Any thread; about 80 us. Returns
/// false when it cannot be created: then safe points remain.
bool start_agent() noexcept;

/// Lets forks wait while a thread of drom holds the loader's lock, as waiting::yield() does. Returns false when memory
/// is short.
bool watch_forks() noexcept;

/// Reads the newest complete request. Returns false when there is none, or an administrator writes it at this moment.
bool newest(Request&) noexcept;

/// Confines every thread of this process to `wanted.mask` and acknowledges the release. Any thread, one at a time:
/// returns false while another thread releases, or adoption is disabled. About 2 us per thread, and 30 us for each that
/// must move.
bool release(const Request& wanted) noexcept;

/// Returns the newest request whose release this process has acknowledged, and its mask.
Request released() noexcept;

/// Acknowledges that the team follows request `seq` or, with `held`, that it must not; `why` is a sentence for people.
/// Advances hot.seen. Called by the thread that owns the team, outside parallel regions.
void acknowledge_resize(uint64_t seq, uint32_t team_size, uint32_t resize, const char* why) noexcept;

/// Returns the CPUs of this node, by the table. For a client, or a child of one.
CpuSet cpus_of_node() noexcept;

/// Returns whether thread `tid` is one of the client's processes: requests move it, too. For a client, or a child of
/// one. About 10 us per process.
bool is_in_client(uint32_t tid) noexcept;

/// Returns the CPUs that this process began with: start_cpus(), otherwise its affinity at the join. For a client, or a
/// child of one.
CpuSet first_mask() noexcept;

/// Returns this process's page for counters and state; a private page before join, so it is never null.
Page& page() noexcept;

/// Adds entry points that were found after join.
void add_entry_points(uint32_t entry_points) noexcept;

/// While one of these lives no release can complete. So a thread that sets its own affinity from `mask()` cannot undo
/// an acknowledged release. May wait for the confining thread, never longer than that one's loop. Lives for one
/// sched_setaffinity call.
class AffinityGuard {
public:
    /// Counts the caller as setting its affinity. `counts`: false in a child. A child that shares this process's memory
    /// (vfork) would stay counted for ever if it died.
    explicit AffinityGuard(bool counts = true) noexcept;
    ~AffinityGuard();
    AffinityGuard(const AffinityGuard&) = delete;
    AffinityGuard& operator=(const AffinityGuard&) = delete;
    [[nodiscard]] const CpuSet& mask() const noexcept;  ///< CPUs that threads of this process may use now
    [[nodiscard]] uint64_t seq() const noexcept;        ///< the request of that mask; 0: no request so far
    /// Returns the same, or the newest request if that has been posted since: an administrator may be confining this
    /// process to it from outside. In a child: the newest request to its parent.
    [[nodiscard]] Request allowed() const noexcept;

private:
    bool counts_;
};

/// Calls `set`, which sets an affinity inside the mask that it gets, and again while the mask changes meanwhile.
/// Releases of this process wait for the guard. An administrator that confines from outside does not: it posts, then
/// sets every thread's affinity. When `set` comes before that, it is overwritten. When it comes after that, the second
/// look sees the request. Each further round needs one more request.
template <class Set>
auto set_allowed(const Set& set) noexcept {
    for (;;) {
        const AffinityGuard guard(!is_child_of_client());
        const Request allowed = guard.allowed();
        const auto result = set(allowed);
        if (guard.allowed().seq == allowed.seq) return result;
    }
}

/// Returns E_INVAL when no number of CPUs is within both limits; `max_cpus` 0: no limit.
int check_limits(const char* verb, uint32_t min_cpus, uint32_t max_cpus, drom_error*) noexcept;
/// Implements drom_limits: 0 leaves a limit as it is.
int limits(uint32_t min_cpus, uint32_t max_cpus, drom_error*) noexcept;

/// Implements drom_disable, and drom_enable.
void disable() noexcept;
void enable() noexcept;

/// Notes that the program called drom_on_change: its team may change.
void let_team_follow() noexcept;
bool program_follows() noexcept;

/// Tells whether the team that starts has more threads than CPUs, until the next release; called by the code that sizes
/// teams. The runtime's threads wait accordingly. Costs one comparison while the answer stays the same.
void team_shares_cpus(bool shares) noexcept;

/// Registers `fn`, which the agent's own thread calls after each release (drom_on_change with DROM_ASYNC).
void on_release(void (*fn)(const Request&)) noexcept;

}  // namespace drom::client
