// SPDX-License-Identifier: GPL-2.0-or-later
// no_room.cpp - refusals, by the job that was refused.
#include "no_room.hpp"

namespace drom::slurm {

bool NoRoom::holds(const Refused& refused, const policy::Job& job, policy::Seconds now) {
    constexpr policy::Seconds kLong = 300;
    return now - refused.since <= kLong && refused.job.nodes == job.nodes && refused.job.min_cores == job.min_cores &&
           refused.job.filter == job.filter;
}

void NoRoom::note(const policy::Job& job, const policy::NodeSet& nodes, policy::Seconds now) {
    Refused& refused = refused_[job.id];
    if (!holds(refused, job, now)) refused = {job, {}, now};
    refused.nodes.insert(nodes);
}

policy::NodeSet NoRoom::nodes_without(const policy::Job& job, policy::Seconds now) const {
    const auto found = refused_.find(job.id);
    return found != refused_.end() && holds(found->second, job, now) ? found->second.nodes : policy::NodeSet();
}

}  // namespace drom::slurm
