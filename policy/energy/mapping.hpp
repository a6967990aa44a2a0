// SPDX-License-Identifier: BSD-3-Clause
// mapping.hpp - on which partition each application should run, by weights of time, energy and room (HPC in the cloud,
// chapter 3). A map is for all jobs of an application, whatever runs at the moment. energy_aware.hpp decides per job.
#pragma once

#include <span>
#include <vector>

#include "policy/energy/model.hpp"

namespace drom::policy {

/// How much each criterion counts; 0: not at all. One of them at least is above 0.
struct MappingWeights {
    double time = 1;
    double energy = 1;
    double room = 0;  ///< cores of the partition
};

/// An application on one node of a partition, at the nominal frequency.
struct Mapped {
    std::size_t partition = 0;
    double seconds = 0, joules = 0;
    double score = 0;  ///< small is good
};

/// Returns the partitions on which the application runs, the best one first; equal ones as the model has them. The
/// score is the distance from the origin in time, energy and room, each as a ratio to the best of these partitions. It
/// is equation 6.5 of the thesis with a third term. `cores` has the cores of each partition. Pure.
std::vector<Mapped> rank_partitions(const EnergyModel& model, const Application& application,
                                    std::span<const double> cores, const MappingWeights& weights);

}  // namespace drom::policy
