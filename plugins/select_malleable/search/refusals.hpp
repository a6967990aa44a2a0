// SPDX-License-Identifier: GPL-2.0-or-later
// refusals.hpp - refusals to the main scheduler, with the question.
#pragma once

#include "question.hpp"

#include <map>

namespace drom::slurm {

/// A question of the main scheduler.
struct Asked {
    policy::Seconds at = 0;
    uint32_t min_nodes = 0, max_nodes = 0;
    policy::Job job;
    policy::NodeSet nodes;
};

/// Remembers refusals. The main scheduler asks about the first job of the queue after each submission, and the time of
/// its start is costly to find. A refusal stands for half a minute, or until a job starts, ends, or is changed.
class Refusals {
public:
    void note(const JobInPartition& job, Asked asked) { refused_[job] = std::move(asked); }
    /// Returns whether an earlier refusal of the same question stands.
    bool stands(const JobInPartition& job, const Asked& asked) const;
    void forget() { refused_.clear(); }

private:
    std::map<JobInPartition, Asked> refused_;
};

}  // namespace drom::slurm
