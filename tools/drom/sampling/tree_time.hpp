// SPDX-License-Identifier: BSD-3-Clause
// tree_time.hpp - the CPU time of a process and of all below it, with that of children that came and went unseen.
#pragma once

#include <sys/types.h>

#include <span>

namespace drom::command {

/// Returns the CPU seconds of the processes since they began, and of their children that have ended and were waited
/// for. So the time of a child stays in the sum when it ends, as long as one of the processes waits for it. A process
/// that has ended counts as 0. In steps of a tick (10 ms) per process.
double tree_cpu_s(std::span<const pid_t> processes);

}  // namespace drom::command
