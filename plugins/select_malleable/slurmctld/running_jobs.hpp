// SPDX-License-Identifier: GPL-2.0-or-later
// running_jobs.hpp - the jobs that run: those that the coscheduler knows, and others that only take their nodes from
// it.
#pragma once

#include "jobs.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace drom::slurm {

/// Returns the ids, separated by commas.
std::string text_of(const std::vector<policy::JobId>& ids);

class RunningJobs {
public:
    /// Returns whether anything is known: nothing is before the first start_over(), and after forget().
    bool known() const { return coscheduler_ != nullptr; }
    policy::Coscheduler& coscheduler() { return *coscheduler_; }
    const policy::Coscheduler& coscheduler() const { return *coscheduler_; }
    /// Forgets all jobs and reads the nodes anew.
    void start_over(const policy::SlowdownRules& rules);
    /// Forgets all jobs: another slurmctld knows better from now on.
    void forget();

    /// Reads the clock, which never goes back.
    policy::Seconds now();
    /// Returns what now() returned last.
    policy::Seconds last_now() const { return last_now_; }

    policy::NodeSet nodes_of(const std::vector<policy::JobId>& jobs) const;
    /// Returns the nodes that the proposal gives to its guest.
    policy::NodeSet nodes_of(const policy::Event& proposal) const;
    /// Returns whether the job shares nodes now.
    bool shares(const job_record_t* job) const;

    /// Returns whether the coscheduler was not told of the job, or the job is suspended.
    bool is_other(policy::JobId id) const { return others_.count(id) != 0; }
    std::size_t others() const { return others_.size(); }
    /// Takes its nodes from the coscheduler until remove_other().
    void add_other(policy::JobId id, const policy::NodeSet& nodes);
    /// Notes the same, of nodes that the coscheduler counts as taken already.
    void note_other(policy::JobId id, const policy::NodeSet& nodes) { others_[id] = nodes; }
    void remove_other(policy::JobId id);

private:
    std::unique_ptr<policy::Coscheduler> coscheduler_;
    std::map<policy::JobId, policy::NodeSet> others_;
    policy::Seconds last_now_ = 0;
};

}  // namespace drom::slurm
