// SPDX-License-Identifier: GPL-2.0-or-later
// refusals.cpp - compares questions.
#include "refusals.hpp"

#include <tuple>

namespace drom::slurm {

bool Refusals::stands(const JobInPartition& job, const Asked& asked) const {
    constexpr policy::Seconds kLong = 30;
    const auto found = refused_.find(job);
    if (found == refused_.end() || asked.at - found->second.at > kLong) return false;
    const Asked& before = found->second;
    const auto demand = [](const Asked& a) {
        return std::tuple(a.min_nodes, a.max_nodes, a.job.request, a.job.min_cores, a.job.submit, a.job.kind,
                          a.job.filter.contiguous, a.job.filter.memory_mb, a.job.qos, a.job.account);
    };
    return demand(before) == demand(asked) && before.nodes == asked.nodes;
}

}  // namespace drom::slurm
