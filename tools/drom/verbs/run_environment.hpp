// SPDX-License-Identifier: BSD-3-Clause
// run_environment.hpp - the variables of the user that drom run reads, and those of the program that it starts.
#pragma once

#include <string>
#include <vector>

#include "command_line/options.hpp"
#include "output/run_report.hpp"
#include "program/preload.hpp"

namespace drom::command {

/// Returns whether DROM_DISABLE=1 is set: the program is started as it is, on its CPUs.
bool is_disabled();

/// Returns the threads that the user asks for; 0: OMP_NUM_THREADS is not set, or not a number.
unsigned threads_of_user();

/// Adds the variables of the program. A library that cannot be preloaded is left out of `preload` and of the report.
void add_environment(const CommandOptions& options, Preload& preload, RunReport& report,
                     std::vector<std::string>& environment);

}  // namespace drom::command
