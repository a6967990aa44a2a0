// SPDX-License-Identifier: BSD-3-Clause
// stack_room.hpp - whether the calling thread has stack enough for work of ours.
#pragma once

namespace drom {

/// Returns whether at least 24 KiB are left of the calling thread's stack. True where that cannot be seen, and for the
/// first thread, whose stack grows. One system call of 1 us, none in the first thread. Async-signal-safe.
bool has_stack_room() noexcept;

}  // namespace drom
