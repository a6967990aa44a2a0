// SPDX-License-Identifier: BSD-3-Clause
// run_names.hpp - what drom run calls a program, and whether the name has room.
#pragma once

#include <string>

#include "client/rank.hpp"
#include "command_line/options.hpp"

namespace drom::command {

/// Returns what a variable says; nullptr: it is not set, or empty.
const char* text_of(const char* variable);

/// Returns the rank that an MPI launcher starts here; when none does, `ranked` is false, and the job may still be
/// known.
Rank rank_by_launcher(bool& ranked);

/// Returns why the given name has no room for the rank, of this and of any other rank of the job; empty: it has.
std::string no_room_for_rank(const CommandOptions& options);

/// Returns why the job's name has no room; empty: it has. Requests name a job in full, so it is not cut.
std::string no_room_for_job(const CommandOptions& options);

/// Returns the client's name: each rank differs. The name of a program is cut so that the rank is still there.
std::string client_name(const CommandOptions& options, const Rank* rank);

}  // namespace drom::command
