// SPDX-License-Identifier: BSD-3-Clause
// thread_pool_libraries.hpp - libraries in a process that keep threads of their own, which no entry point reaches.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace drom::command {

/// Returns the libraries as people call them, "oneTBB", "OpenBLAS", "BLIS", of the files that `maps`, the text of
/// proc_pid_maps(5), names.
std::vector<std::string> pools_in(std::string_view maps);

/// Returns those of a running process; none when it has ended or may not be looked at.
std::vector<std::string> pools_of(pid_t pid);

}  // namespace drom::command
