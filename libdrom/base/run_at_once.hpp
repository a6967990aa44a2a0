// SPDX-License-Identifier: BSD-3-Clause
// run_at_once.hpp - how the kernel schedules threads whose work takes microseconds: the agent's, and a waiting
// administrator's.
//
// While all CPUs are busy, a thread that wakes or was displaced for a moment may wait for one or two ticks of the
// kernel. These 4 to 8 ms are a hundred times longer than a release.
#pragma once

#include <cstdint>

namespace drom {

/// Asks for short slices for good. A waking thread with a shorter slice than the running one gets the CPU at once in
/// most cases (Linux 6.12 on; older kernels ignore it). Needs no privilege.
void ask_for_short_slices() noexcept;

/// Lets the calling thread run before all ordinary threads while it lives, if the thread may have a real-time priority
/// (root, CAP_SYS_NICE, RLIMIT_RTPRIO). Otherwise gives it short slices. Leaves a thread with a policy of its own
/// alone. About 2 us.
class RunAtOnce {
public:
    explicit RunAtOnce(bool wanted) noexcept;
    ~RunAtOnce();
    RunAtOnce(const RunAtOnce&) = delete;
    RunAtOnce& operator=(const RunAtOnce&) = delete;
    [[nodiscard]] bool granted() const noexcept { return granted_; }

    /// The kernel's struct sched_attr in its first form, which every kernel has, and no old C library.
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
