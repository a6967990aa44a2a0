// SPDX-License-Identifier: BSD-3-Clause
// site.hpp - --slurm-conf: the machine and the parameters of a site's own slurm.conf.
#pragma once

#include "cli/simulation.hpp"

namespace drom::sim {

/// Returns the options with what --slurm-conf says where the command line says nothing. Says on stderr what was taken
/// and which settings mean nothing for a simulation, unless quiet.
tl::expected<SimulationOptions, Failure> with_site(SimulationOptions options);

/// Leaves out the jobs of other partitions than --partition, and adds a sentence about them.
tl::expected<void, Failure> keep_partition(const SimulationOptions& options, Input& input);

/// Returns the parameters for all settings: those of the site before those that were typed. With a workload, its
/// partitions have the priorities of slurm.conf, if they have a weight there.
Assignments common_parameters(const SimulationOptions& options, const Workload* workload = nullptr);

}  // namespace drom::sim
