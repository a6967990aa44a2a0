// SPDX-License-Identifier: BSD-3-Clause
// preload.hpp - how a program will be reached. Pure, but for where our libraries are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace drom::command {

struct Preload {
    bool agent = false;       ///< libdrom-agent.so is preloaded
    bool mpi = false;         ///< libdrom-mpi.so too
    bool omp = false;         ///< libdrom-omp.so too: the user or the program has said that the team may change
    std::string remark = {};  ///< why nothing is preloaded, for people; empty: nothing to say
    std::string first = {};   ///< a library that has to be before ours; empty: none
};

/// Returns the libraries to preload. `is_rank`: an MPI launcher starts this process as a rank. `stack`: the bytes of
/// stack that are left to the program at its start; the loader needs more for a library in front of it.
Preload choose_preload(const Program& program, bool is_rank, size_t stack = SIZE_MAX);

/// Returns true when the user or the program has said, before it starts, that its team may change.
/// `said` is DROM_RESIZE or --resize, `dynamic` OMP_DYNAMIC; empty: not set.
bool may_follow(const Program& program, const std::string& said, const std::string& dynamic);

/// Returns the names of the libraries that stand in front of the program's, in the order in which they are loaded.
std::vector<std::string> libraries_of(const Preload& preload);

/// Returns LD_PRELOAD with our libraries and the libdrom.so that they need in front, but for one that has to be first.
/// The user's are kept; empty: unchanged.
/// Libraries already named are not repeated.
std::string preload_text(const Preload& preload, const std::string& library_directory, const std::string& present);

/// Returns ASAN_OPTIONS for a program under our preload. AddressSanitizer's library ends each process in which another
/// one comes first, and a script or a make may start such programs. It works behind ours all the same. An ASAN_OPTIONS
/// of the user stays.
std::string asan_options(const std::string& present);

/// Returns the directory of the libdrom.so this process runs with; empty when it cannot be told.
std::string library_directory();

}  // namespace drom::command
