// SPDX-License-Identifier: BSD-3-Clause
// run_at_once.hpp - how the kernel schedules the threads whose work is measured in microseconds: the agent's, and a
// waiting administrator.
//
// While all CPUs are busy a thread that wakes, or that was displaced for a moment, may wait for the kernel's next tick
// or two, 4 to 8 ms, before it runs: a hundred times longer than a release takes.
#pragma once

#include <cstdint>

namespace drom {

/// Asks for short slices for good. A thread that wakes with a shorter slice than the one that runs has its CPU at once
/// in most cases (Linux 6.12 on; older kernels ignore it). Anybody may.
void ask_for_short_slices() noexcept;

/// While one of these lives the calling thread runs before all ordinary threads if it may have a real-time priority
/// (root, CAP_SYS_NICE, RLIMIT_RTPRIO), and has short slices otherwise. A thread with a policy of its own is left
/// alone. About 2 us.
class RunAtOnce {
public:
    explicit RunAtOnce(bool wanted) noexcept;
    ~RunAtOnce();
    RunAtOnce(const RunAtOnce&) = delete;
    RunAtOnce& operator=(const RunAtOnce&) = delete;
    [[nodiscard]] bool granted() const noexcept { return granted_; }

    /// The kernel's struct sched_attr in its first form, which every kernel and no old C library has.
    struct Attributes {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    };

private:
    Attributes before_{};
    bool changed_ = false, granted_ = false;
};

}  // namespace drom
