// SPDX-License-Identifier: BSD-3-Clause
// energy.hpp - what a simulation took in energy, by the model of its machine.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/outcome.hpp"
#include "policy/energy/model.hpp"
#include "policy/registry/registry.hpp"

namespace drom::sim {

struct PartitionEnergy {
    std::size_t jobs = 0;  ///< that ended
    double response = 0;   ///< mean, seconds
    double ghz = 0;        ///< mean over jobs
    double jobs_joules = 0;
    double idle_joules = 0;  ///< of nodes without a job, within the makespan of all partitions
};

/// Energy of the jobs that ended. On a shared node a job takes as much of its power as it has of the cores: the idle
/// part of the node is counted once.
struct Energy {
    double jobs_joules = 0, idle_joules = 0;
    double run_sum = 0;       ///< of run times as they were, seconds
    double ghz = 0;           ///< mean over jobs
    double best_share = 0;    ///< of jobs on the partition that is best for them
    std::size_t unknown = 0;  ///< jobs of applications that the model lacks
    std::vector<PartitionEnergy> partitions;

    double joules() const noexcept { return jobs_joules + idle_joules; }
};

/// Returns the energy of a job on all its nodes.
double joules(const JobOutcome& job) noexcept;

/// Returns the energy of jobs and idle nodes; nothing when the machine has no energy model or no job ended.
std::optional<Energy> energy_of(const Outcome& outcome, Seconds makespan);

/// Returns the entries of the jobs under a policy that chooses by its energy model, `model`; nothing under any other
/// one. Cost: the jobs, and the partitions times their states for each pair of application and nodes.
EntriesOfJobs entries_of_jobs(const std::vector<JobOutcome>& jobs, const policy::Policy& policy,
                              const policy::EnergyModel& model);

/// Returns the entries of the job; nothing where the policy does not choose.
std::span<const policy::OperatingPoint> entries_of(const Outcome& outcome, const JobOutcome& job);

}  // namespace drom::sim
