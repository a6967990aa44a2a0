// SPDX-License-Identifier: GPL-2.0-or-later
// books.hpp - slurmctld's records of jobs that share: their cores, limits and comments, brought to what the coscheduler knows.
//
// A shrunk job's core bitmap has fewer cores than its count of CPUs says. slurmctld saves both, so that a controller that was killed, or a
// stock one that comes after this, books no core twice; steps of the whole job go on being granted, with the cores that are left.
#pragma once

#include "running_jobs.hpp"

#include <map>
#include <vector>

namespace drom::slurm {

class Books {
public:
    explicit Books(RunningJobs& running) : running_(running) {}

    /// Gives each job of these, and of those that share with them, as many cores on each node as the coscheduler knows. `not_booked`: a guest that
    /// cons_tres has not in its books yet, and whose cores are all those of its nodes.
    void reconcile(const std::vector<policy::JobId>& changed, const job_record_t* not_booked);
    /// Nothing was known of the job that has ended, but it may have had cores of jobs that are known.
    void reconcile_beside(const job_record_t& gone);

    // The job's own limit is in its admin comment, which slurmctld saves together with the limit: a controller that comes back with an older state
    // finds what belongs to that.
    void set_limits(const std::vector<policy::JobId>& changed);
    /// Also of a job that has ended: it may be requeued at any time later, of which nobody tells us, and asks for its own time again.
    void give_back_time(job_record_t* job);

    /// squeue -O admin_comment shows who shares with whom, since when, and how slow it is predicted to be; then for how long it has shared.
    void comment(policy::JobId id);
    /// Reads from the comment since when the job shares.
    void read_comment(const job_record_t& job);
    /// Whether the job's comment says that it shares.
    bool says_sharing(policy::JobId id) const { return since_.count(id) != 0; }
    void forget_all() { since_.clear(); }

private:
    void reconcile_node(int node, const std::vector<job_record_t*>& records, const job_record_t* not_booked);

    RunningJobs& running_;
    std::map<policy::JobId, policy::Seconds> since_;  ///< when it began to share
};

}  // namespace drom::slurm
