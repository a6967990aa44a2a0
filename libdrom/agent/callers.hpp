// SPDX-License-Identifier: BSD-3-Clause
// callers.hpp - which library makes a call, by the name of its file: some are answered otherwise than the program.
#pragma once

namespace drom::callers {

/// Returns whether the path is that of an OpenMP runtime.
bool is_openmp_runtime(const char* path) noexcept;

/// Returns whether `caller`, a return address, is in an OpenMP runtime. About 0.1 us and no lock with glibc 2.35 or
/// later, so that a signal handler may ask; with an older one the loader's lock.
bool called_by_runtime(const void* caller) noexcept;

/// Returns whether `caller` is in a library that keeps a pool of threads: OpenBLAS, BLIS, oneTBB. The file has such a
/// name, or the library was linked with one: conda's libcblas.so.3 is OpenBLAS. Cost as called_by_runtime().
bool called_by_pool(const void* caller) noexcept;

}  // namespace drom::callers
