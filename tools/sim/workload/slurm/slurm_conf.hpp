// SPDX-License-Identifier: BSD-3-Clause
// slurm_conf.hpp - what a slurm.conf says about a simulation: the machine, and parameters of the policies.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "workload/slurm/slurm_conf_lines.hpp"
#include "workload/workload.hpp"

namespace drom::sim {

struct SlurmPartition {
    std::string name;
    std::vector<std::string> nodes;
    double factor = 0;     ///< of its priority, 0 to 1
    Seconds max_time = 0;  ///< of its jobs; 0: no limit
};

struct SlurmSite {
    std::int64_t nodes = 0;  ///< that a partition has; 0: no_machine says why not
    std::int64_t cores = 0;  ///< CPUs of each, as Slurm counts them
    std::string no_machine;  ///< a sentence, with file and line
    std::vector<SlurmPartition> partitions;
    std::vector<std::pair<std::string, std::string>> parameters;  ///< by the names that the simulator has for them
    std::vector<std::string> unused;  ///< "slurm.conf:3: SlurmctldHost", a line each, in order
};

/// Reads a slurm.conf and what it includes. `partition` is the only one that is simulated; empty: all. Errors: a
/// finished sentence.
tl::expected<SlurmSite, std::string> read_slurm_conf(const std::string& path, const std::string& partition = "");

/// Reads the same, where `read_file` has the files.
tl::expected<SlurmSite, std::string> read_slurm_conf(const std::string& path, const std::string& partition,
                                                     const slurm::ReadFile& read_file);

/// Returns the value of partition_factors for the partitions of a log: "1/0.5".
std::string partition_factors(const SlurmSite& site, const std::vector<std::string>& of_log);

}  // namespace drom::sim
