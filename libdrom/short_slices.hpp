// SPDX-License-Identifier: BSD-3-Clause
// short_slices.hpp - how the kernel schedules the agent's thread.
#pragma once

namespace drom {

/// Asks for short slices. A thread that wakes with a shorter slice than the one that runs has its CPU at once (Linux 6.12 on); with the
/// same slice it may wait for the next tick, 4 ms, while all CPUs are busy. Older kernels ignore it.
void ask_for_short_slices() noexcept;

}  // namespace drom
