// SPDX-License-Identifier: GPL-2.0-or-later
// ending_message.hpp - what slurmctld tells the nodes of a job that ends: which steps of other jobs had begun by then
// (common/earlier_steps.hpp).
#pragma once

#include "jobs.hpp"

#include <string>
#include <vector>

#include "common/earlier_steps.hpp"

namespace drom::slurm {

/// Returns the steps of the job for which slurmctld has signed credentials, and perhaps some that have ended.
EarlierSteps steps_until_now(const job_record_t& job);

/// Returns the jobs with all cores of those of their nodes that are in `nodes`.
std::vector<EarlierSteps> steps_of_sole_jobs(const std::vector<policy::JobId>& jobs, const policy::NodeSet& nodes);

/// Writes that into the job's record. Called as its cores go back: slurmctld makes the message after that. No jobs:
/// takes away what the job's user, or an earlier run of the job, has left there.
void tell_nodes(job_record_t& ended, const std::vector<EarlierSteps>& jobs);

}  // namespace drom::slurm
