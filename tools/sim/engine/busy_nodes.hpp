// SPDX-License-Identifier: BSD-3-Clause
// busy_nodes.hpp - nodes that have a job, and when.
#pragma once

#include <optional>
#include <vector>

#include "engine/outcome.hpp"

namespace drom::sim {

/// Counts each node that has a job once, whatever the number of its jobs. The nodes of a job count while it runs, but a
/// guest's only after the end of the mate that had them. A program has other nodes after each change. Jobs that did not
/// end keep their nodes until `stop`. With `partition` only its nodes count. Exact with at most two jobs per node,
/// slightly high with more. Cost: the jobs.
std::vector<BusyNodes> busy_nodes(const Outcome& outcome, Seconds stop, std::optional<int> partition = std::nullopt);

}  // namespace drom::sim
