// SPDX-License-Identifier: BSD-3-Clause
// threads.hpp - the threads of a process as the kernel sees them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

struct ThreadView {
    pid_t tid = 0;
    std::string name;
    char state = '?';  ///< as in proc(5): R S D T t Z
    unsigned cpu = 0;  ///< where it ran last
    CpuSet allowed;
    double busy = 0;         ///< share of one CPU during the sample
    uint64_t preempted = 0;  ///< involuntary switches during the sample
    bool deadline = false;   ///< SCHED_DEADLINE: the kernel refuses to change where it may run
};

/// Looks at every thread twice, `interval` apart. Empty when the process has ended or may not be looked at.
std::vector<ThreadView> sample_threads(pid_t pid, std::chrono::milliseconds interval);

/// Returns whether the process `mover` may move the threads of `pid`, which must have no right that `mover` lacks. True
/// also when either cannot be looked at.
bool may_move(pid_t mover, pid_t pid);

}  // namespace drom::command
