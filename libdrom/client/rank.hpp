// SPDX-License-Identifier: BSD-3-Clause
// rank.hpp - the rank of a process in an MPI job, by the environment of its launcher. No MPI call.
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

/// Reads the rank from the variables of Open MPI (OMPI_COMM_WORLD_*), Hydra (PMI_*, MPI_LOCAL*: MPICH, Intel MPI) or
/// Slurm. In this order, because an mpirun inside a Slurm step knows more than the step. PMIX_RANK does not count: Open
/// MPI also sets it in a process without a launcher. Returns false when no launcher started this process; then at most
/// the job of a batch script is known. Pure.
bool rank_of(Environment read, Rank& rank) noexcept;

/// Returns whether the ranks of this node cannot each have `own` CPUs of their own among the `allowed` ones of the
/// cpuset. Then no launcher bound them, and they share one mask. Pure.
bool shares_mask(const Rank& rank, uint32_t own, uint32_t allowed) noexcept;

/// Returns which of `cpus` CPUs, counted in order, this rank has when the ranks of the node divide them evenly: [first,
/// end). With a remainder the first ranks have one more; the last ranks have none when there are more ranks than CPUs.
/// Pure.
struct Part {
    uint32_t first, end;
};
Part part_of(const Rank& rank, uint32_t cpus) noexcept;

/// Names the job of a rank whose launcher gives no name, after an ancestor of this process: Hydra starts one process
/// per node and job. Returns false when there is none.
bool name_by_launcher(char* job, size_t size) noexcept;

}  // namespace drom
