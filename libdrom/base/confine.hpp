// SPDX-License-Identifier: BSD-3-Clause
// confine.hpp - moves every thread of a process into a mask: by the process itself, or by an administrator from
// outside.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpuset.hpp"
#include "tasks.hpp"

namespace drom {

struct Confined {
    int status;            ///< DROM_OK, DROM_E_NOPROC, DROM_E_PERM, DROM_E_NOCPU (the cpuset allows none of the mask),
                           ///< DROM_E_TIMEOUT (also: a newer request is there)
    CpuSet refused;        ///< CPUs of the mask that the cpuset does not allow
    uint32_t threads;      ///< seen in the last pass
    uint32_t moved;        ///< affinity calls that were needed
    uint32_t process = 0;  ///< the process that refused; 0: the client, or none
    uint32_t processes = 1;  ///< found in the last pass over a tree, the client included while it lives
};

/// The masks of attempts that did not end in a release. A thread may have one of them still, and so may a child that is
/// being forked. Keeps the newest ones. One thread at a time.
class Attempts {
public:
    void add(const CpuSet& mask) noexcept {
        if (!include(mask)) masks_[count_++ % kKept] = mask;
    }
    [[nodiscard]] bool include(const CpuSet& mask) const noexcept {
        const uint32_t kept = count_ < kKept ? count_ : kKept;
        for (uint32_t i = 0; i < kept; ++i)
            if (masks_[i] == mask) return true;
        return false;
    }
    void clear() noexcept { count_ = 0; }

private:
    static constexpr uint32_t kKept = 4;
    CpuSet masks_[kKept]{};
    uint32_t count_ = 0;
};

/// The masks that threads have which the program left alone, before they are moved.
struct Origin {
    CpuSet released;  ///< the mask of the last release, by the client or from outside
    CpuSet begun;     ///< a mask to which an administrator may have died moving them; otherwise the same as `released`
    const std::atomic<uint64_t>* newest = nullptr;  ///< the number of the newest request; null: there will be no other
    uint64_t seq = 0;                               ///< the number of this request
    const Attempts* attempts = nullptr;             ///< of the caller since the release; may be null

    /// Returns whether this request is the newest. Another process may be carrying out a newer one by now: then no
    /// thread may be given more CPUs, not even for a moment.
    [[nodiscard]] bool is_newest() const noexcept { return newest == nullptr || newest->load() == seq; }
};

/// Returns the mask that a thread gets. A thread with a mask of `origin` follows to `now`. A thread that the program
/// narrowed keeps the rest of its mask, or gets all of `now` when nothing is left. Pure.
CpuSet follow(const CpuSet& thread, const Origin& origin, const CpuSet& now) noexcept;

/// Sets the affinity of every thread of `pid` (0: this process), until one whole pass finds nothing to do: a thread
/// that is created meanwhile inherits its creator's old mask. Does not allocate. About 1 us per thread and pass, 30 us
/// more for each running thread that must move. Gives up at `deadline_ns`, and where a thread has to be moved although
/// a newer request is there.
Confined confine(uint32_t pid, const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept;

/// The process whose threads are moved, as far as it is known.
enum class Visit : uint8_t {
    kClient,      ///< the client itself: it is used to ask what its cpuset refuses
    kDescendant,  ///< not seen before
    kAgain,       ///< moved before: its threads have the masks of that move, or masks that it has set since
};
/// Does the same for the threads of `tasks`.
Confined confine(Tasks& tasks, Visit visited, const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept;

/// The threads of this process at the last look.
struct KnownThreads {
    static constexpr uint32_t kMax = 64;
    uint32_t tids[kMax];
    uint32_t count;
    uint32_t seen;  ///< all, noted or not
};
void note_threads(KnownThreads& known) noexcept;

/// Moves known threads of this process off CPUs that are not in `now`, the calling thread last: a first strike before
/// confine(). Moving a running thread blocks the caller. A caller that has run for long may then wait for a tick when
/// it wakes among busy threads. So the moves that may block come before everything else.
void clear_off(const KnownThreads& known, const Origin& origin, const CpuSet& now) noexcept;

/// Reads the CPUs that the calling thread's cpuset allows, by asking for everything and restoring its own mask. Returns
/// false when either fails.
bool get_cpuset(CpuSet& cpus) noexcept;

/// Calls sched_getaffinity or sched_setaffinity for one thread (0: the caller) as plain system calls: no cpu_set_t, no
/// 1024-CPU limit.
bool get_affinity(uint32_t tid, CpuSet& mask) noexcept;
/// Reads the mask as get_affinity does. Returns 0 or errno: ESRCH when the thread has ended.
int read_affinity(uint32_t tid, CpuSet& mask) noexcept;
int set_affinity(uint32_t tid, const CpuSet& mask) noexcept;  ///< 0 or errno

/// Keeps the calling thread on one of `cpus` while it lives, if the thread may be on any of them. A thread that
/// confines others stands on a CPU that they have to leave. Threads there are then only queued, and move in a tenth of
/// the time of a running one. When they have left, the calling thread is not queued with them.
class StandOn {
public:
    explicit StandOn(const CpuSet& cpus) noexcept;
    ~StandOn();
    StandOn(const StandOn&) = delete;
    StandOn& operator=(const StandOn&) = delete;

private:
    CpuSet before_;
    bool moved_ = false;
};

}  // namespace drom
