// SPDX-License-Identifier: BSD-3-Clause
// job_shares.hpp - how the ranks of one job divide CPUs: evenly, each keeping what it has where it can. Pure: state in,
// decision out.
//
// Balanced CPUs per rank because a parallel program is as fast as its slowest rank (thesis, chapter 5).
#pragma once

#include <optional>
#include <vector>

#include "verbs/run_cpus.hpp"

namespace drom::command {

/// A rank, or any client of the job.
struct Member {
    CpuSet cpus;  ///< that it has, or will have when everything posted is done
    unsigned min = 1;
    unsigned max = 0;  ///< 0: no limit
};

/// The CPUs that a job is to have.
struct JobOrder {
    enum class What { kExactly, kAdd, kRemove, kShrink, kExpand } what = What::kExactly;
    CpuSet cpus;                       ///< kExactly, kAdd, kRemove
    std::optional<unsigned> all;       ///< kShrink, kExpand: CPUs of the job
    std::optional<unsigned> per_rank;  ///< kShrink, kExpand: CPUs of each rank that has more, or fewer
};

/// Where the job is.
struct JobState {
    std::vector<Member> members;  ///< at least one
    CpuSet allowed;               ///< CPUs that exist and are not drained
    CpuSet free;
    std::vector<Share> others;  ///< clients that may be taken from; empty when none may
    partition::Locations locations;
};

/// Returns new CPUs for each member. Errors: E_INVAL, E_NOCPU; the sentence begins after "drom: VERB: ".
Expected<std::vector<CpuSet>> plan_job(const JobOrder& order, const JobState& job);

/// Returns the masks of members whose min is their max: as many CPUs of those that they have and that are free. These
/// need to be enough.
std::vector<CpuSet> masks_of_sizes(const JobState& job);

}  // namespace drom::command
