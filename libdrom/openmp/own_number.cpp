// SPDX-License-Identifier: BSD-3-Clause
// own_number.cpp - the program sets its number of threads, by C and Fortran names. It is obeyed for good.
#include <cstdint>

#include "drom/drom.h"
#include "gate.hpp"
#include "runtime.hpp"

using drom::runtime::Name;

// Only right in the outermost function, hence a macro.
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

namespace {

template <class Value>
void pass_on(Name name, Value value, const void* caller) noexcept {
    drom::drom_own_number = 1;
    if (auto* real = drom::runtime::real<void(Value)>(name, caller); real != nullptr) real(value);
}

}  // namespace

extern "C" {

DROM_EXPORT void omp_set_num_threads(int size) { pass_on(Name::SetNumThreads, size, CALLER); }
DROM_EXPORT void omp_set_num_threads_(const int32_t* size) { pass_on(Name::SetNumThreadsFortran, size, CALLER); }
DROM_EXPORT void omp_set_num_threads_8_(const int64_t* size) { pass_on(Name::SetNumThreadsFortran8, size, CALLER); }

}  // extern "C"
