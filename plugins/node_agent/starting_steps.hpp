// SPDX-License-Identifier: GPL-2.0-or-later
// starting_steps.hpp - which jobs are about to have another step here: their cpusets stay narrow until Slurm has
// written those of the new one.
//
// There is one file per step in the table's folder, from before Slurm writes to after. A file that stays there counts
// for some seconds only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "state_file.hpp"

namespace drom::slurm {

/// Notes that the step is starting. False: the file could not be made (errno).
bool step_is_starting(const std::string& folder, const StepName& step);
void step_has_started(const std::string& folder, const StepName& step);
/// Returns the jobs with such a step. Takes away files that no longer count.
std::vector<uint32_t> jobs_with_starting_steps(const std::string& folder);

}  // namespace drom::slurm
