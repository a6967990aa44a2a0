// SPDX-License-Identifier: BSD-3-Clause
// forks.hpp - forks that may be under way in a process that was moved. A child copies the mask of its parent's thread
// when the fork begins, and is listed when the fork ends. In between, a move of the parent passes the child by.
#pragma once

#include "base/short_list.hpp"
#include "base/tasks.hpp"

namespace drom {

/// Threads that may be inside a fork which began before they were moved. One thread at a time.
///
/// A thread that sleeps is in no fork: inside a fork the kernel never sleeps so that a signal could wake it. The thread
/// that asks is in none either.
///
/// A fork copies the mask, then the memory map, and lists the child after that. The map of a large process takes long:
/// 25 ms per GiB. Nothing reads /proc/PID/maps meanwhile, because the kernel holds the lock of the map. The rest takes
/// some 30 us on a CPU, before the map and after it. So a thread has left its fork when three things have happened in
/// this order: it has run for 1 ms, its map has been read, and it has run for 1 ms again. With tens of thousands of
/// open files a fork may take longer before the map: that is not seen.
class Forks {
public:
    /// Notes all threads of a process that are awake, after they were moved. Returns false when memory is short. About
    /// 6 us per thread, 12 us for one that is awake.
    bool note(uint32_t pid, Tasks& threads) noexcept;

    /// Returns whether each noted thread of the process has left the fork in which it may have been. About 12 us per
    /// thread that has not, and once 20 us more. Waits as long as a memory map is copied.
    [[nodiscard]] bool are_over(uint32_t pid, const Tasks& threads) noexcept;

    /// Returns whether a thread of the process that has not left it slept in the kernel at the last look, where no
    /// signal wakes it.
    [[nodiscard]] bool waits_in_kernel(uint32_t pid) noexcept;

private:
    /// The last event of a thread. The kernel adds up what a thread has run when it is moved, at a tick and when it
    /// leaves its CPU. So the sum is exact after a move. When the map has been read, what it ran before is still to be
    /// added: time counts from the next change of the sum.
    enum class Step : uint8_t { kMoved, kRead, kCounted };
    struct Thread {
        uint32_t pid, tid;
        uint64_t ran_ns;  ///< on a CPU, when it took this step; 0 where the kernel does not count it
        Step step = Step::kMoved;
        bool waits = false;
    };
    void forget(uint32_t pid) noexcept;
    static bool has_left(Thread& thread, const Tasks& threads) noexcept;

    ShortList<Thread, 16> awake_;
};

}  // namespace drom
