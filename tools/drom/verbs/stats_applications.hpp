// SPDX-License-Identifier: BSD-3-Clause
// stats_applications.hpp - from clients that were watched to programs with budgets. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/stats_report.hpp"
#include "sampling/window.hpp"

namespace drom::command {

/// Divides the CPUs of a client among its ranks: each has an equal share, and one that used more has what it used.
/// `used` and the result are in CPU seconds; the sum is the larger of `owned` and all that was used.
std::vector<double> divided(double owned, std::span<const double> used);

/// Returns the processes of a client with their budgets. Processes below it count as one with it, unless two at least
/// are ranks: were in MPI. Then each rank is a process, and the others, such as mpirun, are left out.
std::vector<StatsProcess> processes_of(const ClientSeen& client, double elapsed_s, const std::string& node);

/// Returns the programs: the clients of each job, and each client without a job.
std::vector<StatsApplication> applications_of(const WindowSeen& window, const std::string& node);

/// Returns the name that the ranks of a job have in common: without the number that drom run adds.
std::string name_without_rank(const std::string& name);

}  // namespace drom::command
