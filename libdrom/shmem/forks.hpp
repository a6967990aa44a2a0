// SPDX-License-Identifier: BSD-3-Clause
// forks.hpp - forks that may be under way in a process that was moved. A child copies the mask of its parent's thread
// when the fork begins, and is listed when the fork ends. In between, a move of the parent passes the child by.
#pragma once

#include "base/short_list.hpp"
#include "base/tasks.hpp"

namespace drom {

/// Threads that may be inside a fork which began before they were moved. A thread that sleeps is in no fork: inside a
/// fork the kernel never sleeps so that a signal could wake it. A thread that has run for 2 ms has left its fork. One
/// thread at a time.
class Forks {
public:
    /// Notes all threads of a process that are awake, after they were moved. Returns false when memory is short. About
    /// 6 us per thread, 12 us for one that is awake.
    bool note(uint32_t pid, Tasks& threads) noexcept;

    /// Returns whether each noted thread of the process has left the fork in which it may have been. About 12 us per
    /// thread that has not.
    [[nodiscard]] bool are_over(uint32_t pid, const Tasks& threads) noexcept;

private:
    struct Thread {
        uint32_t pid, tid;
        uint64_t ran_ns;  ///< on a CPU, when it had just been moved; 0 where the kernel does not count it
    };
    void forget(uint32_t pid) noexcept;

    ShortList<Thread, 16> awake_;
};

}  // namespace drom
