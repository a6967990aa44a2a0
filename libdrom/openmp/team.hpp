// SPDX-License-Identifier: BSD-3-Clause
// team.hpp - what is known of the team that is resized, and its lock. The one state behind safe points.
#pragma once

#include <pthread.h>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/request.hpp"
#include "follow.hpp"
#include "objects.hpp"
#include "runtime.hpp"

namespace drom::safe_point {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

/// The stages of a drain (see drain.hpp).
enum class Drain : uint8_t { None, Asked, Running, FallingAsleep };

struct Team {
    runtime::Runtime runtime;
    follow::Resize said;    ///< DROM_RESIZE
    Request adopted;        ///< seq 0: no request so far
    uint32_t cpus;          ///< of the adopted request; UINT32_MAX before the first
    uint32_t first_cpus;    ///< of the first one
    uint32_t start;         ///< the primary thread's own number of threads when it opened its first region
    uint32_t size;          ///< of the last region without a clause
    uint64_t acknowledged;  ///< newest request that was acknowledged as resized or kept
    bool follows;           ///< the last acknowledgement said so
    bool own_number;        ///< the program has set its number
    bool leagues;
    Object openblas, other;  ///< seen last; each opens regions
    Drain drain;
    uint64_t asleep_ns;  ///< when the left-over threads sleep
    long verbose;
    std::atomic<bool> ready;  ///< the process has been set up, which happens once
    pthread_key_t key;
};
extern constinit Team team;

/// The lock of `team`. The primary thread takes it. A signal handler that interrupted that thread finds it taken, as
/// does a thread that wants to become the primary at this moment: both pass.
extern constinit std::atomic<bool> busy;

class TeamLock {
public:
    TeamLock() noexcept : mine_(!busy.exchange(true, std::memory_order_acquire)), errno_(errno) {}
    ~TeamLock() {
        if (mine_) busy.store(false, std::memory_order_release);
        errno = errno_;  // this is inside the program's own calls
    }
    TeamLock(const TeamLock&) = delete;
    TeamLock& operator=(const TeamLock&) = delete;
    [[nodiscard]] bool mine() const noexcept { return mine_; }

private:
    bool mine_;
    int errno_;
};

/// Returns the number of threads that the calling thread's next region would have without drom.
inline uint32_t own_threads() noexcept { return static_cast<uint32_t>(team.runtime.max_threads()); }

}  // namespace drom::safe_point
