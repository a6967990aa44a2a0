// SPDX-License-Identifier: BSD-3-Clause
// loop_expansion.hpp - tells the question that GCC itself asks in every static loop from one whose answer a program keeps.
//
// For `#pragma omp for` with the default schedule GCC writes into the region
//     threads = omp_get_num_threads(); me = omp_get_thread_num();
//     share = n / threads; rest = n % threads; if (me < rest) { ++share; rest = 0; } ...
// The answer lives for these few instructions and cannot outlive the region, so the next region may have another size. A program
// that asks for itself may keep the answer for ever, so only what is certain to be GCC's counts: the two calls in a row, the division
// by the answer, the comparison with the remainder, and on no path from there any further use of the answer. Paths go on in the
// handlers of calls that throw, and end at a call that nothing of its function is behind: exit, abort, a failed assert, a throw.
//
// Pure: looks at the code and nothing else. Some microseconds; for call sites that are seen for the first time.
#pragma once

#include <cstdint>

#include "unwind_table.hpp"

namespace drom {

/// True when `return_address`, where omp_get_num_threads returns to, is in such code. `unwinding`: where its functions end and its calls
/// go on when they throw; the object lies in [low, high).
bool is_loop_expansion(const void* return_address, uintptr_t low, uintptr_t high,
                       const UnwindTable& unwinding) noexcept;

}  // namespace drom
