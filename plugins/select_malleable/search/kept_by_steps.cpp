// SPDX-License-Identifier: GPL-2.0-or-later
// kept_by_steps.cpp - compares what steps keep with what their jobs could lend.
#include "kept_by_steps.hpp"

#include <algorithm>
#include <cmath>

namespace drom::slurm {

const policy::NodeSet& KeptBySteps::nodes(RunningJobs& running) {
    if (at_ == running.now()) return nodes_;
    at_ = running.now();
    nodes_ = {};
    const double factor = running.coscheduler().rules().sharing.sharing_factor;
    each_running_job([&](const job_record_t& job) {
        const int kept = declared_malleable(job) ? cores_that_steps_keep(job) : 0;
        if (kept <= 1) return;
        const policy::Placed seen = placed(job);
        const int share = static_cast<int>(std::floor(factor * seen.cores + 1e-9));
        const int lends = std::min(share, seen.cores - std::max(1, seen.job.min_cores));
        if (kept > seen.cores - lends) nodes_.insert(seen.nodes);
    });
    return nodes_;
}

}  // namespace drom::slurm
