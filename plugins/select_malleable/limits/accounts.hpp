// SPDX-License-Identifier: GPL-2.0-or-later
// accounts.hpp - limits of accounts and QOS that grow with the time for which a job has its resources. Decides nothing.
//
// As in slurmctld, a QOS's limit on a resource counts instead of those of the accounts. The partition's QOS comes
// before the job's own, or after it with OverPartQOS. All accounts above the job count, but for the root's. Nothing
// counts unless AccountingStorageEnforce has limits. Each function holds the lock of the accounts while it reads.
#pragma once

#include "select_malleable/slurmctld/jobs.hpp"

#include <string>
#include <vector>

#include "policy/cluster/budgets.hpp"
#include "policy/job/bounds.hpp"

namespace drom::slurm {

/// Returns what the job takes when its limit becomes `limit` minutes. `beside`: the mates of one that waits, with whom
/// it will have its nodes. `idle`: the nodes that it will have alone besides.
policy::Consumption consumption_of(const job_record_t& job, uint32_t limit,
                                   const std::vector<const job_record_t*>& beside, const policy::NodeSet& idle);

/// Returns which limit on resources times minutes the job would reach with this consumption, as the rest of a sentence
/// ("MaxTRESMins=cpu of QOS short"); empty: none. `together` as for policy::exhausted().
std::string reached(const job_record_t& job, const policy::Consumption& consumption,
                    const std::vector<policy::Consumption>& together);

/// Adds how MaxWall bounds the job. A job with GrpWall must not be extended at all: of what is left of that nothing is
/// reserved for the jobs that run.
void add_walls(std::vector<policy::Bound>& bounds, const job_record_t& job, policy::Seconds now);

}  // namespace drom::slurm
