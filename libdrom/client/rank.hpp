// SPDX-License-Identifier: BSD-3-Clause
// rank.hpp - which rank of an MPI job a process is, by what its launcher put into the environment. No MPI call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom {

struct Rank {
    uint32_t ranks;        ///< of the job; 0: not known, or the process is no rank
    uint32_t rank;         ///< from 0
    uint32_t local_rank;   ///< on this node, from 0
    uint32_t local_ranks;  ///< on this node; 0: not known
    char job[32];          ///< the launcher's name for the job; empty: it has none
};

using Environment = const char* (*)(const char* name);

/// The rank that the variables say: of Open MPI (OMPI_COMM_WORLD_*), Hydra (PMI_*, MPI_LOCAL*: MPICH, Intel MPI), or
/// Slurm, in this order, because an mpirun inside a Slurm step says more than the step. PMIX_RANK says nothing: Open
/// MPI sets it, too, in a process that nobody launched. False when none of them started this process; then only the job
/// may be known, of a batch script. Pure.
bool rank_of(Environment read, Rank& rank) noexcept;

/// True when the ranks of this node cannot all have `own` CPUs each of their own among the `allowed` ones of the
/// cpuset: nobody bound them, and they share one mask. Pure.
bool shares_mask(const Rank& rank, uint32_t own, uint32_t allowed) noexcept;

/// Which of `cpus` CPUs, counted in order, this rank has when the ranks of the node divide them evenly: [first, end).
/// The first ones have one more when there is a remainder; empty when there are more ranks than CPUs and this is one of
/// the last. Pure.
struct Part {
    uint32_t first, end;
};
Part part_of(const Rank& rank, uint32_t cpus) noexcept;

/// A name for the job of a rank whose launcher gives none: after the process that Hydra starts once a node and job,
/// among this process's forefathers. False when there is none.
bool name_by_launcher(char* job, size_t size) noexcept;

}  // namespace drom
