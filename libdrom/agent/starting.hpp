// SPDX-License-Identifier: BSD-3-Clause
// starting.hpp - when an unmodified, preloaded program becomes a client.
#pragma once

namespace drom::starting {

/// Notes that `caller` is about to create a thread. An OpenMP runtime's first thread makes the process a client if it
/// is none yet; the agent's thread is created with the first thread of any caller.
void before_thread(const void* caller) noexcept;

/// Returns whether a process that was started forked this one, which may share that one's memory (vfork).
bool is_forked_child() noexcept;

}  // namespace drom::starting
