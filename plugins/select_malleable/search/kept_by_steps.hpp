// SPDX-License-Identifier: GPL-2.0-or-later
// kept_by_steps.hpp - nodes of jobs whose steps keep what these would lend.
#pragma once

#include "select_malleable/slurmctld/running_jobs.hpp"

namespace drom::slurm {

class KeptBySteps {
public:
    /// Returns the nodes. Looked up once per second, at the cost of all running jobs.
    const policy::NodeSet& nodes(RunningJobs& running);

private:
    policy::Seconds at_ = 0;
    policy::NodeSet nodes_;
};

}  // namespace drom::slurm
