// SPDX-License-Identifier: GPL-2.0-or-later
// ended_jobs.hpp - what jobs that have ended on this node have left to steps that arrive later.
//
// The credential of a step has the cores that its job had when it was signed. When a mate ends before the step arrives,
// the credential names the guest's old cores. No task of the mate is left then whose end would give the guest more. So
// it is noted which steps had begun by then, as slurmctld says (common/earlier_steps.hpp). That is no matter of time: a
// guest's prolog may take minutes.
//
// Where cores are kept for the system, a credential does not say which. The job that left the node last had all others.
//
// All of this is called under the node agent's lock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpuset.hpp"
#include "common/earlier_steps.hpp"
#include "state_file.hpp"

namespace drom::slurm {

/// Notes that the job has ended on this node, and which steps of others had begun by then. False: the file could not be
/// written (errno).
bool note_end_of_job(const std::string& folder, uint32_t job, const std::vector<EarlierSteps>& others);
/// Returns whether the step had begun when a mate of its job ended here, after which its job had the node alone.
bool began_before_end_of_mate(const std::string& folder, const StepName& step);

/// Notes the CPUs of the tasks that were the last on this node, and leave it now. False: the file could not be made
/// (errno).
bool note_last_on_node(const std::string& folder, const CpuSet& cpus);
/// Returns the CPUs that such tasks have left; none: there were no such tasks.
CpuSet left_by_last_on_node(const std::string& folder);

}  // namespace drom::slurm
