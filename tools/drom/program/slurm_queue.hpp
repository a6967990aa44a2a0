// SPDX-License-Identifier: BSD-3-Clause
// slurm_queue.hpp - jobs as Slurm's squeue shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

struct QueuedJob {
    std::string id;              ///< "12", or "12_3" of an array
    std::string state;           ///< "PENDING"
    std::string reason;          ///< Slurm's own: "Resources"
    std::string system_comment;  ///< of select/malleable: why the job shares nothing
    std::string admin_comment;   ///< of select/malleable: with which jobs it shares
};

/// Reads what squeue printed for queue_columns(), one job per line.
std::vector<QueuedJob> read_queue(std::string_view text);
/// Returns the value of squeue's option -O that read_queue() expects.
std::string queue_columns();

/// Asks squeue about a job, or about all elements of an array. Errors: DROM_E_OS where squeue cannot be
/// started, or fails; DROM_E_NOPROC where there is no such job. Cost: a process.
Expected<std::vector<QueuedJob>> queued(const std::string& job);

/// Returns the value of the last word KEY=VALUE in a comment; empty: there is none.
std::string_view comment_value(std::string_view comment, std::string_view key);

}  // namespace drom::command
