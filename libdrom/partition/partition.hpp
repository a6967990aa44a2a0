// SPDX-License-Identifier: BSD-3-Clause
// partition.hpp - decides which CPUs of a node each job has when a job arrives and when one ends. Pure: state in,
// decision out.
//
// The node-side distribution of the thesis (4.5, and 5.3.3 with listing 5.3). The rules, in order, are in
// docs/developer/partition.md. `choose` (choice.hpp) decides between jobs, `distribute` (distribution.hpp) inside a
// job.
#pragma once

#include <optional>
#include <vector>

#include "topology.hpp"

namespace drom::partition {

/// A task: a process that has CPUs of its own.
struct Client {
    uint32_t id;            ///< the caller's name for the task, as in `depart`
    uint64_t job;           ///< its job, whose tasks share CPUs evenly and are kept apart from other jobs
    CpuSet mask;            ///< CPUs that it has; disjoint from all other masks
    CpuSet home;            ///< CPUs that come back to it; made here, and kept by the caller from one call to the next
    uint32_t ranks = 1;     ///< the task never has fewer CPUs, and its part of the job's CPUs is in proportion
    uint32_t min_cpus = 1;  ///< CPUs; DROM_MIN_CPUS
    uint32_t max_cpus = 0;  ///< CPUs that it can use; 0: no limit
    bool fixed = false;     ///< keeps its mask: it was set by hand, or the program is rigid
};

/// In order of arrival; the tasks of a job are adjacent.
using Clients = std::vector<Client>;

/// A job that is about to start. `granted`: the CPUs that another program, such as Slurm's controller, has chosen.
/// Without it the job gets free CPUs and those that running jobs can give up, up to equal shares. For an exact number
/// of CPUs give the tasks the same min and max.
struct Arrival {
    Clients tasks;  ///< of one job; masks and homes are not read
    std::optional<CpuSet> granted;
    double sharing_factor = 0.5;  ///< the largest part of a job's own CPUs that may be elsewhere; not for granted CPUs
};

/// Computes all masks and homes with the newcomer: `running` in the same order, then its tasks.
///
/// Running jobs only lose CPUs, and divide the CPUs that are left to them; jobs that lose none do not change. CPUs
/// beyond those of the topology are not distributed: a job that changes leaves them.
///
/// Errors, with `after` untouched. DROM_E_NOCPU: too few CPUs, or a granted CPU that the node does not have.
/// DROM_E_BUSY: a granted CPU belongs to a fixed client, or is one that a running job needs for its ranks.
/// DROM_E_INVAL: no tasks, tasks of several jobs or of a running job, or masks that overlap.
///
/// Cost for 4 jobs on 2 x 24 cores: 20 to 40 us; see `choose`. Thread-safe.
int arrive(const Topology& topology, const Clients& running, const Arrival& arrival, Clients& after, drom_error* error);

/// Computes all masks and homes without the tasks whose ids are in `leaving`.
///
/// Each of their CPUs goes to the latest task whose home it is. A CPU without such a task goes to the remaining tasks
/// of the same job. Without those, and when the job had lent CPUs to a job that is still there, it goes to any job that
/// can use it; otherwise it becomes free. A departure right after the arrival of a job on whole cores restores exactly
/// the state before.
///
/// Errors, with `after` untouched: DROM_E_NOPROC (no such client), DROM_E_INVAL (masks that overlap). Cost for 4 jobs
/// on 2 x 24 cores: 20 us when a guest ends, 43 us when three jobs inherit. Thread-safe.
int depart(const Topology& topology, const Clients& running, const std::vector<uint32_t>& leaving, Clients& after,
           drom_error* error);

struct Request {
    uint32_t id;
    CpuSet mask;
};

/// Returns the requests that lead from `before` to `after`: clients of both whose mask changes, and newcomers. Clients
/// that only lose come first.
std::vector<Request> requests(const Clients& before, const Clients& after);

}  // namespace drom::partition
