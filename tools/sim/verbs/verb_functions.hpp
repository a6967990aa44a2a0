// SPDX-License-Identifier: BSD-3-Clause
// verb_functions.hpp - one function per verb; each returns the exit status.
#pragma once

#include "cli/options.hpp"

namespace drom::sim {

int verb_run(const SimulationOptions& options);
int verb_compare(const SimulationOptions& options);
int verb_generate(const SimulationOptions& options);
int verb_replay(const SimulationOptions& options);
int verb_policies(const SimulationOptions& options);
int verb_import(const SimulationOptions& options);
int verb_place(const SimulationOptions& options);
int verb_map(const SimulationOptions& options);

}  // namespace drom::sim
