// SPDX-License-Identifier: BSD-3-Clause
// priority.hpp - which waiting job is considered first.
#pragma once

#include <vector>

#include "policy/job/job.hpp"

namespace drom::policy {

/// First come, first served unless a weight is given; else Slurm's priority/multifactor without fair share: each factor
/// is in [0, 1].
struct PriorityLaw {
    double age = 0;                   ///< weight of the wait, which counts up to `max_age`
    double size = 0;                  ///< weight of the number of nodes
    double partition = 0;             ///< weight of the partition's own factor
    Seconds max_age = 7 * 24 * 3600;  ///< Slurm's PriorityMaxAge
    bool favor_small = false;         ///< Slurm's PriorityFavorSmall
    std::vector<double> partitions;   ///< factor of each partition; those beyond its end have 1

    bool first_come() const noexcept { return age == 0 && size == 0 && partition == 0; }
    /// Returns the priority of the job at `now`. Higher is earlier; equal priorities go by submit.
    double of(const Job& job, int machine_nodes, Seconds now) const noexcept;
};

}  // namespace drom::policy
