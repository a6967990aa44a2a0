// SPDX-License-Identifier: BSD-3-Clause
// starting.hpp - when an unmodified program that is preloaded becomes a client.
#pragma once

namespace drom::starting {

/// `caller` is about to create a thread: an OpenMP runtime's first one makes the process a client if it is none yet,
/// and the agent's thread comes with the first of any.
void before_thread(const void* caller) noexcept;

/// `caller` lies in an OpenMP runtime, by its file's name. Some microseconds: it takes the loader's lock.
bool called_by_runtime(const void* caller) noexcept;

}  // namespace drom::starting
