// SPDX-License-Identifier: GPL-2.0-or-later
// starting_steps.hpp - which jobs are about to have another step here: their cpusets stay narrow until Slurm has
// written those of the new one.
//
// There is one file per step in the table's folder, from before Slurm writes to after. It counts while the step daemon
// lives that made it, however long that takes.
//
// The file is made before the job's steps are looked up. A plan is saved before the files are read, and both before any
// cpuset is widened. So a step that arrives meanwhile is seen by the daemon, which narrows it, or finds the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "state_file.hpp"

namespace drom::slurm {

/// Notes that the step of this daemon is starting. Returns false when the file could not be made (errno).
bool step_is_starting(const std::string& folder, const StepName& step);
void step_has_started(const std::string& folder, const StepName& step);
/// Returns the jobs with such a step. Takes away the files of daemons that have ended.
std::vector<uint32_t> jobs_with_starting_steps(const std::string& folder);

}  // namespace drom::slurm
