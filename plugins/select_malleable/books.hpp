// SPDX-License-Identifier: GPL-2.0-or-later
// books.hpp - slurmctld's records of jobs that share: their cores, limits and comments, brought to what the coscheduler
// knows.
//
// A shrunk job's core bitmap has fewer cores than its count of CPUs says. slurmctld saves both, so that a controller
// that was killed, or a stock one that comes after this, books no core twice; steps of the whole job go on being
// granted, with the cores that are left.
#pragma once

#include "running_jobs.hpp"

#include <map>
#include <vector>

namespace drom::slurm {

class Books {
public:
    explicit Books(RunningJobs& running) : running_(running) {}

    /// Gives each job of these, and of those that share with them, as many cores on each node as the coscheduler knows.
    /// `not_booked`: a guest that cons_tres has not in its books yet, and whose cores are all those of its nodes.
    void reconcile(const std::vector<policy::JobId>& changed, const job_record_t* not_booked);
    /// Gives cores back to jobs that are known, after the end of one that was not: it may have had some of theirs.
    void reconcile_beside(const job_record_t& gone);

    // The job's own limit is in its admin comment, which slurmctld saves together with the limit: a controller that
    // comes back with an older state finds what belongs to that.
    void set_limits(const std::vector<policy::JobId>& changed);
    /// Takes back the time that sharing added, also of a job that has ended. Such a job may be requeued later, of which
    /// no hook tells, and then asks for its own time again.
    void give_back_time(job_record_t* job);

    /// Writes into the admin comment with which jobs this one shares, since when, and its predicted slowdown; later for
    /// how long it has shared.
    void comment(policy::JobId id);
    /// Writes into the comment of a job that waits by how much sharing has moved its start at most.
    void note_delay(policy::JobId id, policy::Seconds seconds) const;
    /// Reads from the comment since when the job shares.
    void read_comment(const job_record_t& job);
    /// Returns whether the job's comment says that it shares.
    bool says_sharing(policy::JobId id) const { return since_.count(id) != 0; }
    void forget_all() { since_.clear(); }

private:
    void reconcile_node(int node, const std::vector<job_record_t*>& records, const job_record_t* not_booked);

    RunningJobs& running_;
    std::map<policy::JobId, policy::Seconds> since_;  ///< when it began to share
};

}  // namespace drom::slurm
