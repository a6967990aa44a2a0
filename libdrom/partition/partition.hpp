// SPDX-License-Identifier: BSD-3-Clause
// partition.hpp - who has which CPUs of a node when a job arrives and when one ends. Pure: state in, decision out.
//
// The node-side distribution of the thesis (4.5, and 5.3.3 with listing 5.3). The rules, in order, are in
// docs/developer/partition.md; `separate` (separation.hpp) decides between jobs, `divide` (division.hpp) inside a job.
#pragma once

#include <optional>
#include <vector>

#include "topology.hpp"

namespace drom::partition {

/// A task: a process that has CPUs of its own.
struct Client {
    uint32_t id;         ///< the caller's name for it, as in `depart`
    uint64_t job;        ///< whose tasks share CPUs evenly and are kept apart from others
    CpuSet mask;         ///< what it has; disjoint from all others'
    CpuSet home;         ///< what comes back to it; made here, and kept by the caller from one call to the next
    uint32_t ranks = 1;  ///< it never has fewer CPUs, and its part of the job's CPUs is in proportion
    uint32_t least = 1;  ///< CPUs; DROM_MIN_CPUS
    uint32_t most = 0;   ///< CPUs that it can use; 0: no limit
    bool fixed = false;  ///< keeps its mask: somebody set it by hand, or the program is rigid
};

/// In the order in which they arrived, the tasks of a job together.
using Clients = std::vector<Client>;

/// A job that is about to start. With `granted` somebody, Slurm's controller for instance, has decided which CPUs it
/// gets; without, it gets what is free and what running jobs can be asked for, up to equal shares. For an exact number
/// of CPUs let the tasks' least and most be equal.
struct Arrival {
    Clients tasks;  ///< of one job; masks and homes are not looked at
    std::optional<CpuSet> granted;
    double sharing_factor =
        0.5;  ///< the largest part of a job's own CPUs that may be elsewhere; not for what is granted
};

/// Everybody's masks and homes with the newcomer; `running` in the same order, then its tasks.
///
/// Running jobs only lose CPUs, and divide what is left to them; jobs that lose none are not touched. CPUs beyond those
/// of the topology are not distributed: a job that changes leaves them. Errors: DROM_E_NOCPU (too few CPUs; a granted
/// CPU that the node does not have), DROM_E_BUSY (a granted CPU is of a fixed client, or all that a running job has
/// left for its ranks), DROM_E_INVAL (no tasks, of several jobs, of a running job, or masks that overlap); `after` is
/// untouched then. Cost for 4 jobs on 2 x 24 cores: 5 to 20 us with a grant, 30 to 110 us without; see `separate`.
/// Thread-safe.
int arrive(const Topology& topology, const Clients& running, const Arrival& arrival, Clients& after, drom_error* error);

/// Everybody's masks and homes without those whose ids are in `leaving`.
///
/// Each of their CPUs goes to the last that arrived of those whose home it is. CPUs that no other task had go to the
/// tasks that are left of the same job; else, when the job had lent CPUs to somebody who is still there, to whoever has
/// use for it; else to nobody. A departure right after the arrival of a job on whole cores restores exactly what was
/// before. Errors: DROM_E_NOPROC (no such client), DROM_E_INVAL (masks that overlap); `after` is untouched then. Cost
/// for 4 jobs on 2 x 24 cores: 10 to 20 us when a guest ends, 2 ms when three jobs inherit. Thread-safe.
int depart(const Topology& topology, const Clients& running, const std::vector<uint32_t>& leaving, Clients& after,
           drom_error* error);

struct Request {
    uint32_t id;
    CpuSet mask;
};

/// The requests that lead from one to the other: clients of both whose mask is another, and newcomers. Those that only
/// lose come first.
std::vector<Request> requests(const Clients& before, const Clients& after);

}  // namespace drom::partition
