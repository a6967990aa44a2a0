// SPDX-License-Identifier: BSD-3-Clause
// client.hpp - this process as a client: join, read requests, release CPUs, acknowledge, leave.
//
// One client a process. The doors (ompt/, gomp/, api.cpp) decide when to look; this file does what has to be done then.
// Nothing here allocates, locks, prints or ends the process on the idle path or on an adoption.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cpuset.hpp"
#include "drom/drom.h"
#include "shmem/layout.hpp"

namespace drom::client {

/// The words that the hot path reads, on a cache line that is written only when a request is adopted.
/// `request` is never null: before join and after fork or leave it points to a word that equals `seen`.
struct alignas(64) Hot {
    std::atomic<const Word*> request;
    std::atomic<uint64_t> seen;  ///< newest request the safe point has dealt with (resized, or found that it must not)
};
extern Hot hot;
/// Where `hot.request` points while this process is no client.
extern const Word kNothing;

/// True when there is a request that the safe point has not dealt with. Two loads. Any thread.
inline bool pending() noexcept {
    // Acquire pairs with the administrator's publishing store: seeing the number implies seeing the words.
    return hot.request.load(std::memory_order_relaxed)->load(std::memory_order_acquire) !=
           hot.seen.load(std::memory_order_relaxed);
}

/// joined() for the idle path: no load that pending() does not make.
inline bool reads_requests() noexcept { return hot.request.load(std::memory_order_relaxed) != &kNothing; }

struct Wanted {
    uint64_t seq;
    CpuSet mask;
};

struct JoinOptions {
    const CpuSet* mask;  ///< what it may run on at this moment; nullptr: the process's affinity
    uint32_t doors;      ///< DROM_DOOR_*
    bool async;          ///< start the agent's own thread
    const char* name;
    const char* job;
    uint32_t min_cpus, max_cpus;
    bool rigid;
    const CpuSet* claim = nullptr;  ///< what it asks to own, as far as nobody does; nullptr: the mask
    const char* where = nullptr;    ///< the table; nullptr: DROM_TABLE or the user's own
    /// The process whose reservation it takes over. 0: the one that DROM_SLOT names, or its own; kNoReservation: none.
    uint32_t reserved_for = 0;
    const char* name_end = "";  ///< behind the name, which is cut for it: ".3" for rank 3
};
inline constexpr uint32_t kNoReservation = UINT32_MAX;

/// Joins the table (DROM_TABLE, DROM_SLOT or the user's own, created if needed). E_BUSY while this process is a client,
/// and after it was one that OpenMP or MPI doors had opened for; a program that took part by explicit calls alone may
/// leave and join again, and so may a forked child. E_NOINIT when DROM_DISABLE=1 or the host is set-uid. About 100 us.
int join(const JoinOptions&, drom_error*) noexcept;
/// The directory of the table that it joined. Valid while joined.
const char* path() noexcept;
bool joined() noexcept;
/// False on a virtual node (DROM_VIRTUAL), whose masks are no affinities. Only while joined.
bool moves_threads() noexcept;
int leave(drom_error*) noexcept;
/// Forked by a client, and not one itself.
bool is_child_of_client() noexcept;

/// Starts the agent's own thread, if it is not there. Any thread; about 30 us. False when it cannot be created: then
/// safe points remain.
bool start_agent() noexcept;

/// The newest complete request. False when there is none (or an administrator is writing it this very moment).
bool newest(Wanted&) noexcept;

/// Confines every thread of this process to `wanted.mask` and acknowledges the release. Any thread; one at a time:
/// false when another thread is at it, or adoption is disabled. About 2 us a thread plus 30 us for each that has to
/// move.
bool release(const Wanted& wanted) noexcept;

/// The newest request whose release this process has acknowledged, and its mask.
Wanted released() noexcept;

/// Says that the team follows request `seq` (or, with `held`, that it must not: `why` tells people). Advances hot.seen.
/// Call from the thread that owns the team, outside parallel regions.
void acknowledge_resize(uint64_t seq, uint32_t team_size, uint32_t resize, const char* why) noexcept;

/// The CPUs that this node has, by the table. Of a client, or of a child of one.
CpuSet cpus_of_node() noexcept;

/// The affinity that this process joined with. Only while joined().
CpuSet first_mask() noexcept;

/// This process's page for counters and state; a private page before join, so it is never null.
Page& page() noexcept;

/// Adds doors that were found after join.
void add_doors(uint32_t doors) noexcept;

/// While one of these lives no release can complete, so that a thread that sets its own affinity from `mask()` cannot
/// undo a release that has been acknowledged. Waiting for the confining thread: never more than its own loop.
/// Lives for one sched_setaffinity call.
class AffinityGuard {
public:
    /// `counts`: false in a child. Where it has this process's memory (vfork), its death would leave it counted for
    /// ever.
    explicit AffinityGuard(bool counts = true) noexcept;
    ~AffinityGuard();
    AffinityGuard(const AffinityGuard&) = delete;
    AffinityGuard& operator=(const AffinityGuard&) = delete;
    [[nodiscard]] const CpuSet& mask() const noexcept;  ///< what threads of this process may use now
    [[nodiscard]] uint64_t seq() const noexcept;        ///< the request that mask is of; 0: no request so far
    /// The same, or the newest request if that has been posted since: an administrator may be confining this process to
    /// it from outside at this moment. In a child: what its parent was last told.
    [[nodiscard]] Wanted allowed() const noexcept;

private:
    bool counts_;
};

/// Calls `set`, which sets an affinity inside the mask that it is given, and again while the mask changes meanwhile.
/// Our own releases wait for the guard; an administrator who confines from outside does not: it posts, and then sets
/// every thread's affinity. Ours comes before that, and is overwritten, or after it, and then the second look here sees
/// the request. Each round more takes one more request.
template <class Set>
auto set_allowed(const Set& set) noexcept {
    for (;;) {
        const AffinityGuard guard(!is_child_of_client());
        const Wanted allowed = guard.allowed();
        const auto result = set(allowed);
        if (guard.allowed().seq == allowed.seq) return result;
    }
}

/// E_INVAL when no number of CPUs is within both; `most` 0: there is no such limit.
int check_limits(const char* verb, uint32_t least, uint32_t most, drom_error*) noexcept;
/// drom_limits: 0 leaves a limit as it is.
int limits(uint32_t least, uint32_t most, drom_error*) noexcept;

/// drom_disable / drom_enable.
void disable() noexcept;
void enable() noexcept;

/// The program has said, by drom_on_change, that its team may change.
void let_team_follow() noexcept;
bool program_follows() noexcept;

/// Called by the code that decides how large teams are: whether the one that starts has more threads than CPUs; until
/// the next release. The runtime's threads wait accordingly. Nothing but a comparison while that stays so.
void team_shares_cpus(bool shares) noexcept;

/// Called by the agent's own thread after each release (drom_on_change with DROM_ASYNC).
void on_release(void (*fn)(const Wanted&)) noexcept;

}  // namespace drom::client
