// SPDX-License-Identifier: BSD-3-Clause
// kept_reservations.hpp - whether a guest delays starts that a pass has reserved, as its mates end later. Pure.
#pragma once

#include "policy/sharing/mates.hpp"

namespace drom::policy {

/// A start that a pass of the backfill has reserved.
struct ReservedStart {
    Job job;
    Seconds start = 0;
};

/// Returns whether the mates, or the guest on free nodes, keep nodes that the reserved job needs at its start. Holds on
/// a machine without booked nodes. Cost: the releases until then.
bool delays(const Cluster& cluster, const ReservedStart& reserved, const Job& guest, const MateSet& chosen,
            Seconds now);

/// Returns whether a mate keeps nodes for longer that the map has for another job meanwhile. Cost: the pieces of the
/// mates times the steps of the map.
bool delays_any(const Cluster& cluster, const Availability& map, const Job& guest, const MateSet& chosen);

/// Returns the same of a map with a class for each segment of `booked`: a mate keeps the nodes of its segments, and
/// other nodes do not make up for them.
bool delays_any(const Cluster& cluster, const Availability& map, const BookedNodes& booked, const Job& guest,
                const MateSet& chosen);

}  // namespace drom::policy
