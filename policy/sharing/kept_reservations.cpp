// SPDX-License-Identifier: BSD-3-Clause
// kept_reservations.cpp - nodes that jobs keep for longer, against those that are reserved.
#include "policy/sharing/kept_reservations.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

/// Returns the nodes that are kept for longer than the map knows: times that it rounds up may be late enough.
std::vector<Postponed> beyond(const Availability& map, const std::vector<Postponed>& later) {
    std::vector<Postponed> all;
    for (const Postponed& nodes : later) {
        const Seconds from = map.released(nodes.from);
        if (nodes.to > from) all.push_back({nodes.nodes, nodes.filter, from, nodes.to});
    }
    return all;
}

}  // namespace

bool delays_any(const Availability& map, const std::vector<Postponed>& later) {
    const std::vector<Postponed> all = beyond(map, later);
    const auto is_in_the_way = [](const Availability& of, const Postponed& nodes) {
        return of.min_free(nodes.filter, nodes.from, nodes.to) < nodes.nodes.count();
    };
    // Most guests that are refused are so for one piece alone, and need no copy of the map.
    for (const Postponed& nodes : all)
        if (is_in_the_way(map, nodes)) return true;
    if (all.size() < 2) return false;
    Availability filled = map;
    for (const Postponed& nodes : all) {
        if (is_in_the_way(filled, nodes)) return true;
        Job part;
        part.nodes = nodes.nodes.count();
        part.filter = nodes.filter;
        filled.reserve(part, nodes.from, nodes.to);
    }
    return false;
}

bool delays_any(const Availability& map, const BookedNodes& booked, const std::vector<Postponed>& later) {
    Availability filled = map;
    const std::vector<BookedSegment>& segments = booked.segments();
    for (const Postponed& nodes : beyond(map, later))
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const int count = nodes.nodes.common(segments[i].alike.nodes).count();
            if (count == 0) continue;
            if (filled.min_free_of(i, nodes.from, nodes.to) < count) return true;
            filled.occupy(i, nodes.from, nodes.to, count);
        }
    return false;
}

bool delays(const Cluster& cluster, const ReservedStart& reserved, const std::vector<Postponed>& later, Seconds now) {
    int nodes = cluster.free().count();
    for (const Release& release : cluster.releases()) {
        if (std::max(release.at, now + 1) > reserved.start) break;
        nodes += release.nodes;
    }
    for (const Postponed& kept : later)
        if (kept.from <= reserved.start && kept.to > reserved.start) nodes -= kept.nodes.count();
    return nodes < reserved.job.nodes;
}

}  // namespace drom::policy
