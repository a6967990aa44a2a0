// SPDX-License-Identifier: BSD-3-Clause
// thread_pools.hpp - libraries that keep a pool of threads of their own, by the names of their files.
#pragma once

#include <string_view>

namespace drom {

struct ThreadPoolLibrary {
    std::string_view file;  ///< how the name of its file begins
    const char* name;       ///< as people call it
    bool may_use_openmp;    ///< a build with the same file name has the threads of an OpenMP runtime (Debian's are told
                            ///< apart by their folder only: openblas-openmp, openblas-pthread)
};

/// With a "-" come those that Python's wheels bring along: libscipy_openblas64_-ff651d7f.so, libtbb-1234abcd.so.12.
inline constexpr ThreadPoolLibrary kThreadPoolLibraries[] = {
    {"libtbb.so", "oneTBB", false},           {"libtbb-", "oneTBB", false}, {"libopenblas", "OpenBLAS", true},
    {"libscipy_openblas", "OpenBLAS", false}, {"libblis.so", "BLIS", true}, {"libblis-", "BLIS", true}};

/// Returns whether a file of this name, without its folder, is one of them. Thread-safe, 20 ns.
constexpr bool is_thread_pool_library(std::string_view file) noexcept {
    for (const ThreadPoolLibrary& library : kThreadPoolLibraries)
        if (file.starts_with(library.file)) return true;
    return false;
}

}  // namespace drom
