// SPDX-License-Identifier: BSD-3-Clause
// runtime_waiting.hpp - adapts how threads of OpenMP runtimes wait for one another to fewer CPUs than at the program's
// start.
// A waiting thread on a shared CPU keeps that CPU from the thread that it waits for. Runtimes heed this when they are
// started on few CPUs, but not when CPUs are taken later. Whenever a thread waits, they read internal words that no
// call can change: libgomp's counts of turns before a thread sleeps, LLVM's counts of turns from one sched_yield to the
// next. Any thread may write these words at any moment, also in the middle of a region. No function of a runtime is
// called or interposed.
#pragma once

#include <cstdint>

namespace drom::waiting {

/// Reads the environment, which the program may change later. Called by a thread of the program.
void begin() noexcept;

/// Makes waiting threads give their CPU away at once (`on`), in every loaded runtime, or wait as they did before. Takes
/// the loader's lock for some microseconds. Returns false, without a change, when another thread forks for long.
bool yield(bool on) noexcept;

/// Returns how often libgomp's threads look before they sleep, by the environment.
uint64_t spin_count() noexcept;

/// Keeps a child from inheriting the loader's lock from a thread that it does not have. before_fork() waits for 100 ms
/// at most.
void before_fork() noexcept;
void after_fork() noexcept;
void after_fork_in_child() noexcept;

}  // namespace drom::waiting
