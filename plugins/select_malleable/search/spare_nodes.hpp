// SPDX-License-Identifier: GPL-2.0-or-later
// spare_nodes.hpp - idle nodes that may complete those of mates, until a reservation wants them.
#pragma once

#include "select_malleable/slurmctld/jobs.hpp"

#include <vector>

namespace drom::slurm {

/// Returns nodes of `may_have` that are idle, and until when no reservation wants them from the job. An array gets
/// none: its record has one promise for all its elements. Cost: the reservations.
std::vector<policy::IdleNodes> spare_nodes(const job_record_t& job, const policy::NodeSet& may_have,
                                           policy::Seconds now);

/// Returns the nodes that are in both, each until the earlier of its times.
std::vector<policy::IdleNodes> in_both(const std::vector<policy::IdleNodes>& a,
                                       const std::vector<policy::IdleNodes>& b);

}  // namespace drom::slurm
