// SPDX-License-Identifier: BSD-3-Clause
// kept_reservations.hpp - whether a guest delays starts that a pass has reserved, as jobs beside it end later.
// Pure.
#pragma once

#include "policy/cluster/availability.hpp"

namespace drom::policy {

/// A start that a pass of the backfill has reserved.
struct ReservedStart {
    Job job;
    Seconds start = 0;
};

/// Returns whether some nodes are kept for longer that the reserved job needs at its start. Holds on a machine without
/// booked nodes. Cost: the releases until then.
bool delays(const Cluster& cluster, const ReservedStart& reserved, const std::vector<Postponed>& later, Seconds now);

/// Returns whether some nodes are kept for longer that the map has for another job meanwhile. Cost: the postponed
/// nodes times the steps of the map.
bool delays_any(const Availability& map, const std::vector<Postponed>& later);

/// Returns the same of a map with a class for each segment of `booked`: nodes of one segment do not make up for those
/// of another.
bool delays_any(const Availability& map, const BookedNodes& booked, const std::vector<Postponed>& later);

}  // namespace drom::policy
