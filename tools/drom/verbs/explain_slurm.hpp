// SPDX-License-Identifier: BSD-3-Clause
// explain_slurm.hpp - what is to be said about a job of Slurm. Pure.
#pragma once

#include <string>

#include "program/slurm_queue.hpp"

namespace drom::command {

/// Returns sentences on one line: whether the job shares nodes, or else why not, since when, and what would help.
std::string sharing_sentences(const QueuedJob& job);

}  // namespace drom::command
