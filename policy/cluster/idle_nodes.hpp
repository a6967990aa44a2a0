// SPDX-License-Identifier: BSD-3-Clause
// idle_nodes.hpp - nodes that the resource manager offers a guest besides those of its mates: which are idle, and until
// when. Pure.
#pragma once

#include <vector>

#include "policy/cluster/availability.hpp"
#include "policy/job/bounds.hpp"

namespace drom::policy {

/// Nodes that no job has, and that no job and no reservation is to have before `until`.
struct IdleNodes {
    NodeSet nodes;
    Seconds until = kNever;
    friend bool operator==(const IdleNodes&, const IdleNodes&) = default;
};

/// Returns the part of `idle` that is in `nodes`, in order of time, each node once: until the earliest time that is
/// said of it. Cost: the ranges, times the entries squared.
std::vector<IdleNodes> idle_within(const std::vector<IdleNodes>& idle, const NodeSet& nodes);

/// Returns the idle nodes, each until the first start that is promised on it at the latest. Those of a promise that is
/// not known are left out.
std::vector<IdleNodes> until_promised(const std::vector<IdleNodes>& idle, const std::vector<Promise>& promises);

/// Returns the nodes that are wanted before `end`.
NodeSet wanted_before(const std::vector<IdleNodes>& idle, Seconds end);

/// Returns a map in which these nodes, all of one class, are free until their times, and no others. `idle` is as
/// idle_within() returns it. The class has to outlive the map.
Availability availability_of(const std::vector<IdleNodes>& idle, const NodeClass& alike, Seconds now);

/// Returns `count` of the nodes that are idle until `end` or longer; fewer where there are not so many. Those that are
/// wanted soonest come first, then those with the lowest numbers. `idle` is as idle_within() returns it.
NodeSet idle_until(const std::vector<IdleNodes>& idle, Seconds end, int count);

}  // namespace drom::policy
