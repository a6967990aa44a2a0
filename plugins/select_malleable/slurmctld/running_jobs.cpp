// SPDX-License-Identifier: GPL-2.0-or-later
// running_jobs.cpp - the running jobs, and the clock.
#include "running_jobs.hpp"

#include <algorithm>

namespace drom::slurm {

using policy::JobId;
using policy::NodeSet;
using policy::Seconds;

std::string text_of(const std::vector<JobId>& ids) {
    std::string text;
    for (const JobId id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

void RunningJobs::start_over(const policy::SlowdownRules& rules) {
    coscheduler_ = std::make_unique<policy::Coscheduler>(pools(), rules, job_names());
    others_.clear();
}

void RunningJobs::forget() {
    coscheduler_.reset();
    others_.clear();
}

Seconds RunningJobs::now() { return last_now_ = std::max<Seconds>(last_now_, time(nullptr)); }

NodeSet RunningJobs::nodes_of(const std::vector<JobId>& jobs) const {
    NodeSet nodes;
    for (const JobId id : jobs)
        for (const policy::Held& held : coscheduler_->cores_of(id)) nodes.insert(held.nodes);
    return nodes;
}

NodeSet RunningJobs::nodes_of(const policy::Event& proposal) const {
    NodeSet nodes = nodes_of(proposal.mates);
    nodes.insert(proposal.free);
    return nodes;
}

bool RunningJobs::shares(const job_record_t* job) const {
    return known() && !coscheduler_->co_runners(job->job_id).empty();
}

void RunningJobs::add_other(JobId id, const NodeSet& nodes) {
    others_[id] = nodes;
    coscheduler_->occupy(nodes);
}

void RunningJobs::remove_other(JobId id) {
    const auto found = others_.find(id);
    if (found == others_.end()) return;
    coscheduler_->vacate(found->second);
    others_.erase(found);
}

}  // namespace drom::slurm
