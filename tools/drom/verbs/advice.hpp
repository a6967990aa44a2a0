// SPDX-License-Identifier: BSD-3-Clause
// advice.hpp - from clients that were watched to the programs that an adviser sees. Pure.
#pragma once

#include <string>
#include <vector>

#include "policy/node/adviser.hpp"
#include "sampling/window.hpp"
#include "table/snapshot.hpp"

namespace drom::command {

/// A program with the clients that it has in the table, in the same order.
struct AdvisedProgram {
    policy::NodeProgram seen;
    std::vector<ClientView> clients;
};

/// A node at the end of a round.
struct AdvisedNode {
    std::vector<AdvisedProgram> programs;
    int free = 0;  ///< CPUs

    [[nodiscard]] policy::NodeView view(policy::Seconds now) const;
};

/// Returns the programs of the table: the clients of each job by rank, and each client without a job. `job`: only this
/// one; empty: all. `looks` are those of the round, one after the other. A client that was not there in all of them
/// counts as not sampled.
AdvisedNode advised_node(const Snapshot& snapshot, const std::vector<WindowSeen>& looks, const std::string& job);

/// A change of one client's CPUs.
struct Change {
    const ClientView* client = nullptr;
    unsigned cpus = 0;  ///< that it is to have
};

/// Returns the changes that advices mean. They point into `node`.
std::vector<Change> changes_of(const AdvisedNode& node, const std::vector<policy::Advice>& advices);

/// Returns the masks that carry all changes out: CPUs that the clients have or that are free, chosen as for the ranks
/// of a job. The changes need no more than these.
std::vector<Assignment> assignments_of(const std::vector<Change>& changes, const Snapshot& snapshot);

}  // namespace drom::command
