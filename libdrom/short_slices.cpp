// SPDX-License-Identifier: BSD-3-Clause
// short_slices.cpp - how the kernel schedules the agent's thread.
#include "short_slices.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdint>

#include "clock.hpp"

namespace drom {

namespace {

/// The kernel's struct sched_attr in its first form, which every kernel and no old C library has.
struct SchedulingAttributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

}  // namespace

void ask_for_short_slices() noexcept {
    constexpr uint64_t kShortest = kMillisecond / 10;
    SchedulingAttributes attributes{};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 || attributes.policy != SCHED_OTHER)
        return;
    attributes.runtime = kShortest;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace drom
