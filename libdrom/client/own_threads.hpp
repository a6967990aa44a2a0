// SPDX-License-Identifier: BSD-3-Clause
// own_threads.hpp - drom's two threads in a program: one works, and one stays until the other one has ended.
//
// POSIX gives a file the lowest number that is free, and programs rely on it (close(0), then open()). So the thread
// that works has descriptors of its own, and shares everything else. A thread without the program's descriptors must
// run none of the program's code: neither callbacks nor the exit handlers, which the C library runs in the last thread
// that it knows. The thread that stays exists for these two.
#pragma once

#include <pthread.h>
#include <csignal>
#include <cstdint>

#include "shmem/layout.hpp"

namespace drom::client {

/// Whether there is a thread that works.
enum Working : uint32_t { kNotKnown, kCreated, kNone };

struct OwnThreads {
    Half working;      ///< futex: a Working
    pthread_t worker;  ///< the thread that works, if it was created
    sigset_t signals;  ///< blocked where both were created
};

using Run = void* (*)(void*);

/// Creates both threads with all signals blocked, and waits until they have begun. About 80 us. Returns false when
/// there is none. Where there is only the one that stays, work is left to it.
bool create_own_threads(OwnThreads& threads, Run stays, Run works) noexcept;

/// Waits until it is known whether there is a thread that works.
bool has_worker(const OwnThreads& threads) noexcept;

/// Lets the thread that stays have the program's signals, if all other threads have ended: the program's exit handlers
/// run here then. Otherwise the signals stay blocked until its end.
void let_exit_handlers_run(const OwnThreads& threads) noexcept;

/// Makes a descriptor table without the program's files from number `first` on, so that no pipe or socket is held open.
/// Returns false where the kernel refuses (before 5.9, or a filter).
bool have_own_descriptors(unsigned first = 0) noexcept;

}  // namespace drom::client
