// SPDX-License-Identifier: GPL-2.0-or-later
// ended_jobs.hpp - whether a job has ended on this node while a starting step was on its way here.
//
// The controller signs the credential of a step some milliseconds before its tasks arrive. It has the cores of the job.
// When a mate ends between the two, the credential names the guest's old cores. No task of the mate is left then whose
// end would give the guest more. So the end of each job is noted, as the time of one file in the table's folder.
// Slurm tells a plugin neither when a credential was signed nor which jobs have the node. A job that ended long before
// counts for nothing: the mate may be here without a step, with processes that Slurm does not know.
//
// Where cores are kept for the system, a credential does not say which. The job that left the node last had all others.
#pragma once

#include <string>

#include "base/cpuset.hpp"

namespace drom::slurm {

/// Notes that a job has ended on this node now. False: the file could not be made (errno).
bool note_end_of_job(const std::string& folder);
/// Returns whether a job has ended here while a step that starts now was on its way: in the last two seconds.
bool job_ended_just_now(const std::string& folder);

/// Notes the CPUs of the tasks that were the last on this node, and leave it now. False: the file could not be made
/// (errno).
bool note_last_on_node(const std::string& folder, const CpuSet& cpus);
/// Returns the CPUs that such tasks have left in the last two seconds; none: there were no such tasks.
CpuSet left_just_now(const std::string& folder);

}  // namespace drom::slurm
