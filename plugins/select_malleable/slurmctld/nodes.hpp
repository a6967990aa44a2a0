// SPDX-License-Identifier: GPL-2.0-or-later
// nodes.hpp - from slurmctld's records of nodes to what policies know, and back. Decides nothing.
#pragma once

#include "slurmctld.hpp"

#include <vector>

#include "policy/sharing/coscheduler.hpp"

namespace drom::slurm {

policy::NodeSet node_set(const bitstr_t* nodes);
/// Makes `nodes` these.
void assign(bitstr_t* nodes, const policy::NodeSet& set);

/// Removes the nodes that start no jobs: they are down, draining, failing, or do not answer. slurmctld has a set of the
/// other nodes. But while the main scheduler works, nodes of partitions in which a job did not fit are missing there.
void erase_unavailable(bitstr_t* nodes);

/// Returns how many cores of the node jobs can have: all but those that CoreSpecCount or CpuSpecList takes.
int cores_for_jobs(const node_record_t& node);
/// Returns which cores of the node no job can have.
std::vector<bool> specialised_cores(const node_record_t& node);
/// Returns whether Slurm counts the memory that jobs have.
bool memory_is_a_resource();
/// Returns the nodes by their number of cores for jobs, with their memory where that is a resource.
std::vector<policy::Pool> pools();

}  // namespace drom::slurm
