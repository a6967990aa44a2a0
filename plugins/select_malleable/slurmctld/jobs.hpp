// SPDX-License-Identifier: GPL-2.0-or-later
// jobs.hpp - from slurmctld's records of jobs to what policies know, and back: cores, limits, requests. Decides
// nothing.
#pragma once

#include "nodes.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/sharing/coscheduler.hpp"

namespace drom::slurm {

/// Returns the job's record; null when there is no such job.
job_record_t* record_of(policy::JobId id);
/// Returns the records of those that there are.
std::vector<job_record_t*> records_of(const std::vector<policy::JobId>& ids);
std::vector<job_record_t*> records_in(list_t* jobs);
bool is_on_its_nodes(const job_record_t* job);

/// Calls `body` with each job that is on its nodes, and whose resources are known.
template <class Body>
void each_running_job(const Body& body) {
    list_itr_t* each = list_iterator_create(job_list);
    while (const auto* job = static_cast<const job_record_t*>(list_next(each)))
        if (is_on_its_nodes(job) && job->job_resrcs != nullptr && job->job_resrcs->node_bitmap != nullptr) body(*job);
    list_iterator_destroy(each);
}

/// Returns minutes, rounded up.
uint32_t minutes(policy::Seconds seconds);

/// Returns whether the job is asked about in the first of its partitions, or has only one.
bool is_in_first_partition(const job_record_t& job);
/// Returns the job's limit in minutes without the time that sharing added. A limit that was changed since is the job's
/// own now.
uint32_t own_limit(const job_record_t& job);

/// Returns the limit in minutes with which a job runs `whole` seconds instead of the `request` of its own limit.
uint32_t limit_for(const job_record_t& job, policy::Seconds whole, policy::Seconds request);
/// Returns when the job is at its limit if that becomes `limit` minutes; one that waits starts `now`.
policy::Seconds end_with(const job_record_t& job, uint32_t limit, policy::Seconds now);

/// Returns the seconds on all its cores; a year for a job without a limit.
policy::Seconds requested(const job_record_t& job);

/// Returns the name of the partition in which the job runs, or that it is asked about now.
std::string partition_of(const job_record_t& job);
/// Returns the other partitions in which a job of several may start.
std::vector<part_record_t*> other_partitions(const job_record_t& job);

/// Returns the names of the partitions and QOS that jobs have had since slurmctld began.
std::shared_ptr<policy::JobNames> job_names();

/// Returns the job as the policy sees it, on `nodes` nodes. Malleable when it said so, and nothing forbids that its
/// cores change (may_change()).
policy::Job described(const job_record_t& job, int nodes);
/// Returns why a malleable job can neither be a guest nor a mate, as a word of policy::waiting_reasons(); empty: it
/// can.
std::string obstacle(const job_record_t& job);
bool declared_malleable(const job_record_t& job);
/// Returns whether the request means whole nodes like the first of `nodes`.
bool asks_for_whole_nodes(const job_record_t& job, const bitstr_t* nodes, int count);
/// Of which nodes a request for so many means each whole one.
enum class WholeNodes { kNone, kSome, kAll };
WholeNodes asks_for_whole_nodes_of_any(const job_record_t& job, const bitstr_t* nodes, int count);

/// Returns the number of cores that the job was given on its `n`-th node, before any sharing.
int granted_cores(const job_record_t& job, int n);
/// Returns whether the job was given all cores of its nodes.
bool has_whole_nodes(const job_record_t& job);
/// Returns whether it has them now: every core for jobs of every node, or of those nodes that are in `among`.
bool has_all_cores(const job_record_t& job);
bool has_all_cores(const job_record_t& job, const policy::NodeSet& among);
/// Returns how many cores of a node its steps keep as they run now: one for each task, or as --drom-min-per-rank says;
/// all, which is more than any node has, if one of them was started with --no-drom.
int cores_that_steps_keep(const job_record_t& job);
/// Returns the job as it is now.
policy::Placed placed(const job_record_t& job);

/// Returns the job's place of a node among its own; -1: it is not there.
int position(const job_resources_t& resources, int node);
/// Returns which of the cores of its `n`-th node it has.
std::vector<bool> cores_on(const job_resources_t& resources, int n);
void set_cores_on(job_resources_t& resources, int n, const std::vector<bool>& cores);

}  // namespace drom::slurm
