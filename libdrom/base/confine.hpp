// SPDX-License-Identifier: BSD-3-Clause
// confine.hpp - every thread of a process inside a mask: by the process itself, or by an administrator from outside.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpuset.hpp"
#include "tasks.hpp"

namespace drom {

struct Confined {
    int status;            ///< DROM_OK, DROM_E_NOPROC, DROM_E_PERM, DROM_E_NOCPU (the cpuset allows none of the mask),
                           ///< DROM_E_TIMEOUT
    CpuSet refused;        ///< CPUs of the mask that the cpuset does not allow
    uint32_t threads;      ///< seen in the last pass
    uint32_t moved;        ///< affinity calls that were needed
    uint32_t process = 0;  ///< which one refused; 0: the client, or none
};

/// The masks of threads that the program left alone, before they are moved.
struct Origin {
    CpuSet released;  ///< that of the last release, whoever made it
    CpuSet begun;     ///< one that an administrator may have died moving them to; the same again when there is none
    const std::atomic<uint64_t>* newest = nullptr;  ///< the number of the newest request; null: there will be no other
    uint64_t seq = 0;                               ///< of the request that is carried out

    /// Another process may be carrying out a newer one by now: then no thread may be given more, not even for a moment.
    [[nodiscard]] bool is_newest() const noexcept { return newest == nullptr || newest->load() == seq; }
};

/// The mask a thread gets: one that has a mask of `origin` follows to `now`; one that the program narrowed keeps what
/// of it is left, or gets all of `now` when nothing is. Pure.
CpuSet follow(const CpuSet& thread, const Origin& origin, const CpuSet& now) noexcept;

/// Sets the affinity of every thread of `pid` (0: this process) until one whole pass finds nothing to do, because a
/// thread that is being created while we look inherits its creator's old mask. No allocation. About 1 us a thread and
/// pass, 30 us more for each running thread that has to move. Gives up at `deadline_ns`.
Confined confine(uint32_t pid, const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept;

/// The process whose threads are moved, as it is known so far.
enum class Visit : uint8_t {
    kClient,      ///< the client itself: its cpuset is asked for what it refuses
    kDescendant,  ///< not seen before
    kAgain,       ///< moved before: its masks are those it was given, or that it has chosen since
};
/// The same for the threads of `tasks`.
Confined confine(Tasks& tasks, Visit visited, const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept;

/// Threads of this process as they were seen last.
struct KnownThreads {
    static constexpr uint32_t kMost = 64;
    uint32_t tids[kMost];
    uint32_t count;
    uint32_t seen;  ///< noted or not
};
void note_threads(KnownThreads& known) noexcept;

/// A first strike before confine(): moves known threads of this process off CPUs that are not in `now`, the calling one
/// last. To move a thread that runs blocks the caller, and the kernel lets a thread that had run for long before it
/// blocked wait for a tick when it wakes among busy ones. So what may block is done before anything else.
void clear_off(const KnownThreads& known, const Origin& origin, const CpuSet& now) noexcept;

/// Reads the CPUs that the calling thread's cpuset allows, by asking for everything and putting its own mask back.
/// False when either fails.
bool get_cpuset(CpuSet& cpus) noexcept;

/// sched_getaffinity / sched_setaffinity of one thread (0: the caller) as plain system calls: no cpu_set_t, no 1024-CPU
/// limit.
bool get_affinity(uint32_t tid, CpuSet& mask) noexcept;
int set_affinity(uint32_t tid, const CpuSet& mask) noexcept;  ///< 0 or errno

/// While one of these lives the calling thread is on one of `cpus`, if it may be on any of them. A thread that confines
/// others stands on a CPU that they have to leave: who runs there is only queued, and moves in a tenth of the time that
/// a running thread takes; and when they have left it is not in a queue with them.
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
