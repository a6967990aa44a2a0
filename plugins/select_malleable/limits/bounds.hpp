// SPDX-License-Identifier: GPL-2.0-or-later
// bounds.hpp - what in slurmctld's records bounds the limit of a job that is to share: partition, reservations,
// and MaxWall of accounts and QOS. Decides nothing.
#pragma once

#include "select_malleable/slurmctld/jobs.hpp"

#include <vector>

#include "policy/job/bounds.hpp"

namespace drom::slurm {

/// Returns what bounds the limit of the job, which is or starts on `nodes`. Cost: the reservations, and the
/// accounts above the job.
std::vector<policy::Bound> bounds_of(const job_record_t& job, const policy::NodeSet& nodes, policy::Seconds now);

}  // namespace drom::slurm
