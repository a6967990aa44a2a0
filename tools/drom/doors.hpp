// SPDX-License-Identifier: BSD-3-Clause
// doors.hpp - how a program will be reached. Pure, but for where our libraries are.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace drom::command {

struct Doors {
    bool agent = false;       ///< libdrom.so is preloaded
    bool mpi = false;         ///< libdrom-mpi.so too
    std::string remark = {};  ///< why nothing is preloaded, for people; empty: nothing to say
    std::string first = {};   ///< a library that has to be before ours; empty: none
};

/// `is_rank`: an MPI launcher starts this process as a rank.
Doors choose_doors(const Program& program, bool is_rank);

/// LD_PRELOAD with our libraries in front, but for one that has to be first, and the user's kept; empty: unchanged. Libraries already named are not repeated.
std::string preload_text(const Doors& doors, const std::string& library_directory, const std::string& present);

/// The directory of the libdrom.so this process runs with; empty when it cannot be told.
std::string library_directory();

}  // namespace drom::command
