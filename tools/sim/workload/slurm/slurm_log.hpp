// SPDX-License-Identifier: BSD-3-Clause
// slurm_log.hpp - a site's own log: jobs of Slurm's accounting as a workload; the reason of each line that is left out
// is counted.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "workload/swf/swf.hpp"

namespace drom::sim {

struct SlurmOptions {
    std::string salt;           ///< of the numbers of users and job names
    std::string zone = "UTC";   ///< time zone of the times
    std::int64_t nodes = 0;     ///< of the machine; 0: the most that were in use at once
    std::int64_t cores = 0;     ///< of each node, as Slurm counts CPUs; 0: the most that a job had
    bool whole_nodes = false;   ///< a job's width is its nodes with all their cores
    Seconds default_limit = 0;  ///< of jobs without a time limit; 0: unknown
    std::map<std::string, Seconds, std::less<>> partition_limits;  ///< of jobs without one, before default_limit
    bool skip_bad_lines = false;
};

/// Reads the text of sacct -P, or the file of jobcomp/filetxt. "-" is the standard input. A job's requested time is -1
/// where it had no limit; write_swf() writes that as unknown. Errors: a finished sentence with line and column.
tl::expected<Log, std::string> read_slurm(const std::string& path, const SlurmOptions& options);

/// Reads the same from a text in memory. `name` is for the workload and for sentences.
tl::expected<Log, std::string> read_slurm_text(std::string_view text, const std::string& name,
                                               const SlurmOptions& options);

}  // namespace drom::sim
