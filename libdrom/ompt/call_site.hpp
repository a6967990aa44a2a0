// SPDX-License-Identifier: BSD-3-Clause
// call_site.hpp - did the program ask omp_get_num_threads, or did GCC ask in its name? Pure; reads machine code.
//
// For every loop with a static schedule GCC itself calls omp_get_num_threads() and omp_get_thread_num() at the start of the loop, as
// its manual and gcc/omp-expand.cc say: each thread works its own share out, and forgets the count. Taking those calls for the
// program's would hold nearly every program that GCC compiles. They have a shape of their own (x86-64, all -O levels, GCC 4.9 to 14):
//
//     call omp_get_num_threads;  keep the count in a register;  call omp_get_thread_num;  n / count, n % count;
//     if (thread number < remainder) ...
//
// in a straight line, without a store to anything but the stack. Whatever looks otherwise is taken for the program's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom {

/// True when `target` is omp_get_thread_num, or a stub that jumps there.
using IsThreadNum = bool (*)(const uint8_t* target, const void* arg);

/// `code`: what follows the call to omp_get_num_threads(), `size` readable bytes.
bool cuts_a_loop(const uint8_t* code, size_t size, IsThreadNum is_thread_num, const void* arg) noexcept;

/// The address that the stub at `stub` (of a procedure linkage table) jumps to; nullptr when it is none. Reads up to 16 bytes.
const void* stub_target(const uint8_t* stub) noexcept;

}  // namespace drom
