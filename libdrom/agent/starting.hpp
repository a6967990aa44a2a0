// SPDX-License-Identifier: BSD-3-Clause
// starting.hpp - when an unmodified, preloaded program becomes a client.
#pragma once

namespace drom::starting {

/// Notes that `caller` is about to create a thread. An OpenMP runtime's first thread makes the process a client if it
/// is none yet; the agent's thread is created with the first thread of any caller.
void before_thread(const void* caller) noexcept;

/// Returns whether `caller` is in an OpenMP runtime, by its file's name. Takes the loader's lock: some microseconds.
bool called_by_runtime(const void* caller) noexcept;

}  // namespace drom::starting
