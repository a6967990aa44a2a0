// SPDX-License-Identifier: BSD-3-Clause
// call_site.hpp - did the program ask omp_get_num_threads, or did GCC ask in its name? Pure.
//
// GCC cuts a loop with a static schedule inside the outlined function:
//     n = omp_get_num_threads(); i = omp_get_thread_num(); q = count / n; r = count % n; if (i < r) { q += 1; r = 0; } ...
// Every `#pragma omp parallel for` of a program that g++ compiled asks that way. This answer dies with the loop, so it binds nobody;
// taken for a question of the program it would hold every such program for ever. A program that keeps an answer stores it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom {

/// True when the instructions after the return of omp_get_num_threads (`code`, at most `size` bytes are read) are GCC's cutting of a static
/// loop: the answer goes to a register or stack slot, the next call follows, and from there straight on the answer is only divided by,
/// until the remainder is compared. Anything else, also any instruction that is not known here, is a question of the program.
/// On other architectures than x86-64: false.
bool cuts_a_loop(const uint8_t* code, size_t size) noexcept;

}  // namespace drom
