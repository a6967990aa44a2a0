// SPDX-License-Identifier: BSD-3-Clause
// queries.cpp - the program asks how many threads it has, or says how many it wants: C and Fortran names.
//
// In a process without an OpenMP runtime the answer is 1.
#include <cstdint>

#include "drom/drom.h"
#include "safe_point.hpp"

namespace sp = drom::safe_point;

// Who asks, and how deep on the stack. Only right in the outermost function, hence a macro.
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define FRAME __builtin_frame_address(0)

extern "C" {

DROM_EXPORT int omp_get_max_threads() { return sp::max_threads(CALLER, FRAME); }
DROM_EXPORT int omp_get_max_threads_() { return sp::max_threads(CALLER, FRAME); }

DROM_EXPORT int omp_get_num_procs() { return sp::num_procs(CALLER, FRAME); }
DROM_EXPORT int omp_get_num_procs_() { return sp::num_procs(CALLER, FRAME); }

DROM_EXPORT int omp_get_num_threads() { return sp::num_threads(CALLER); }
DROM_EXPORT int omp_get_num_threads_() { return sp::num_threads(CALLER); }

DROM_EXPORT void omp_set_num_threads(int size) { sp::set_num_threads(size, CALLER); }
DROM_EXPORT void omp_set_num_threads_(const int32_t* size) { sp::set_num_threads(*size, CALLER); }
DROM_EXPORT void omp_set_num_threads_8_(const int64_t* size) {
    sp::set_num_threads(*size > INT32_MAX ? INT32_MAX : static_cast<int>(*size), CALLER);
}

}  // extern "C"
