// SPDX-License-Identifier: BSD-3-Clause
// runtime_waiting.hpp - how the threads of OpenMP runtimes wait for one another, adapted to fewer CPUs than the program
// started with.
//
// A thread that waits on a CPU which it shares keeps it from the one that it waits for. The runtimes know that when
// they are started on few CPUs, and not when CPUs are taken later. Each time that a thread waits they read words of
// theirs which nothing that a program can call tells: libgomp's counts of turns before a thread sleeps, LLVM's counts
// of turns from one sched_yield to the next. Any thread may write them at any moment, in the middle of a region too.
// Nothing of the runtimes is called, and none of their functions is interposed.
#pragma once

#include <cstdint>

namespace drom::waiting {

/// Reads the environment, which the program may change later on. By a thread of the program.
void begin() noexcept;

/// From now on threads that wait give their CPU away at once (`on`), in every runtime that is loaded; or wait as they
/// did before. Takes the loader's lock for some microseconds. False when somebody forks for long: then nothing is
/// changed.
bool yield(bool on) noexcept;

/// How often libgomp's threads look, by the environment, before they sleep.
uint64_t spin_count() noexcept;

/// Around fork: a child must not inherit the loader's lock from a thread that it does not have. The first one waits for
/// 100 ms at most.
void before_fork() noexcept;
void after_fork() noexcept;
void after_fork_in_child() noexcept;

}  // namespace drom::waiting
