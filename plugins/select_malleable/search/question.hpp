// SPDX-License-Identifier: GPL-2.0-or-later
// question.hpp - a call of select_p_job_test, and what of it cons_tres is asked.
#pragma once

#include "select_malleable/slurmctld/running_jobs.hpp"

#include <string>
#include <utility>
#include <vector>

namespace drom::slurm {

/// A job in one of its partitions: what is answered there says nothing about the others.
using JobInPartition = std::pair<policy::JobId, std::string>;

/// A call of select_p_job_test.
struct Question {
    job_record_t* job;
    bitstr_t* nodes;  ///< in: that it may have; out: that it gets
    uint32_t min_nodes, max_nodes, req_nodes;
    uint16_t mode;
    list_t* candidates;  ///< that may be preempted
    list_t** preempted;  ///< out: those that have to be
    resv_exc_t* excluded;
    will_run_data_t* window;  ///< in which the job may start; null: at any time

    int ask_cons_tres() const;
    /// Asks whether the job could start at once if these had no cores, and not when it could otherwise: cons_tres would
    /// look at the end of each running job for that.
    int ask_about_now(const std::vector<job_record_t*>& without) const;
    /// Asks when the job would start, also behind the window.
    int ask_for_any_time();
    /// Asks with candidates for preemption that do not come apart: jobs that share a node are preempted all together or
    /// not at all. If only some of them ended, the others would take over their cores.
    int ask_with_co_runners(const RunningJobs& running);
    /// Returns whether the job is not to start at once, whatever is free.
    bool starts_after(policy::Seconds now) const;
    /// Returns when the job could start, by the answer. cons_tres says "now" of a start in a later window.
    policy::Seconds starts_from() const;
    /// Returns whether reservations take single cores of nodes.
    bool leaves_cores_out() const;
    JobInPartition asked_in() const { return {job->job_id, partition_of(*job)}; }
};

}  // namespace drom::slurm
