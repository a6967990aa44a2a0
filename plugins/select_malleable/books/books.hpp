// SPDX-License-Identifier: GPL-2.0-or-later
// books.hpp - slurmctld's records of jobs that share: their cores, limits and comments, brought to what the coscheduler
// knows.
//
// A shrunk job's core bitmap has fewer cores than its count of CPUs says. slurmctld saves both, so that a controller
// that was killed, or a stock one that comes after this, books no core twice; steps of the whole job go on being
// granted, with the cores that are left.
#pragma once

#include "select_malleable/slurmctld/running_jobs.hpp"

#include <map>
#include <vector>

#include "select_malleable/state/shared_jobs.hpp"

namespace drom::slurm {

class Books {
public:
    explicit Books(RunningJobs& running) : running_(running) {}

    /// Gives each job of these, and of those that share with them, as many cores on each node as the coscheduler knows.
    /// `not_booked`: a guest that cons_tres has not in its books yet, and whose cores are all those of its nodes.
    /// From `at` on they are charged for these.
    void reconcile(const std::vector<policy::JobId>& changed, const job_record_t* not_booked, policy::Seconds at);
    /// Gives cores back to jobs that are known, after the end of one that was not: it may have had some of theirs.
    void reconcile_beside(const job_record_t& gone, policy::Seconds at);

    /// Gives each of these jobs the limit that sharing needs.
    void set_limits(const std::vector<policy::JobId>& changed);
    /// Takes back the time that sharing added, also of a job that has ended. Such a job may be requeued later, of which
    /// no hook tells, and then asks for its own time again.
    void give_back_time(job_record_t* job);

    /// Takes it that a running job of which nothing is known, and that has not all of its CPUs, never had more.
    void assume(const std::vector<policy::JobId>& running);
    /// Tells slurmdbd what charge() could not: it may take seconds until it has told the number of a record. Returns
    /// whether it knows all now.
    bool say_all();
    /// Stops counting for a job that is suspended, and goes on.
    void pause(const job_record_t& job, bool suspended);
    /// Takes off the usage of accounts what other jobs had of theirs, at most once a minute.
    void give_back(policy::Seconds now);
    /// Writes what the job has had into its admin comment and slurmdbd, after its end, and forgets it.
    void close(job_record_t* job, policy::Seconds at);

    /// Writes into the admin comment with which jobs this one shares, since when, and its predicted slowdown; later for
    /// how long it has shared.
    void comment(policy::JobId id);
    /// Writes into the comment of a job that waits by how much sharing has moved its start at most.
    void note_delay(policy::JobId id, policy::Seconds seconds) const;

    /// Takes up what a slurmctld that ended has left, before anything else is read: forgets jobs that are gone, says
    /// once more in slurmdbd which records have ended, and has it asked once more for numbers of records.
    void take_up();
    /// Returns whether the job shared when this was noted last.
    bool was_sharing(policy::JobId id) const;

private:
    struct JobsThere {
        std::vector<const job_record_t*> strangers;  ///< that keep the cores that they have
        std::vector<job_record_t*> records;
    };
    using JobsByNode = std::map<int, JobsThere>;

    /// Returns the jobs on each of the nodes. Cost: the running jobs, and the nodes of those that are there.
    static JobsByNode jobs_on(const policy::NodeSet& nodes, const std::vector<job_record_t*>& records);
    void reconcile_node(int node, const JobsThere& jobs, const job_record_t* not_booked);

    void charge(job_record_t& job, policy::Seconds at);
    static void say(job_record_t& job, SharedJob& known);
    static void pay(const job_record_t& job, SharedJob& known);

    RunningJobs& running_;
    policy::Seconds paid_ = 0;  ///< when give_back() did so last
};

}  // namespace drom::slurm
