// SPDX-License-Identifier: BSD-3-Clause
// leaving.hpp - malleable jobs that use booked nodes until shortly before the booking begins.
//
// A job may start there if it keeps half of its nodes to its end. So it always can leave, and takes at most twice as
// long. Every other job is on booked nodes only if its limit ends before. Jobs that share nodes are none that leave: a
// guest comes only where all limits that it makes longer end before.
#pragma once

#include <vector>

#include "policy/cluster/availability.hpp"

namespace drom::policy {

class Leaving {
public:
    /// Makes jobs leave `lead` seconds before a booking begins. `booked` has to stay there.
    Leaving(const BookedNodes& booked, Seconds lead) : booked_(booked), lead_(lead) {}

    /// Returns free nodes for a malleable job that leaves some of them early enough, low numbers first. The nodes
    /// that the job keeps are free for twice its limit, by the map. Returns nothing when there are none. Cost: the
    /// segments.
    NodeSet pick(const Cluster& cluster, const Availability& map, const Job& job, Seconds now) const;
    /// Returns the nodes that the running job has to leave now.
    NodeSet due(const Cluster& cluster, int slot, Seconds now) const;
    /// Returns when the next running job has to leave nodes; kNever. Cost: the slots times the segments.
    Seconds next(const Cluster& cluster, Seconds now) const;
    /// Takes the nodes that running jobs keep for longer from the map, because they leave others. Exact for one
    /// booking. Cost: as next().
    void keep(Availability& map, const Cluster& cluster, Seconds now) const;

private:
    bool leaves(const BookedSegment& segment, const RunningJob& running, const NodeSet& nodes, Seconds now) const;
    Seconds first_leave(const Cluster& cluster, int slot, Seconds now) const;
    Seconds end_of(const Cluster& cluster, int slot, Seconds now) const;

    const BookedNodes& booked_;
    const Seconds lead_;
};

}  // namespace drom::policy
