// SPDX-License-Identifier: BSD-3-Clause
// kept_reservations.cpp - nodes that mates keep for longer, against those that are reserved.
#include "policy/sharing/kept_reservations.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

/// Returns when the mate's nodes are free again. Where nodes are reserved until the limit, it moves by no more than the
/// guest's limit.
Seconds end_beside(const RunningJob& running, const Mate& mate, const Job& guest) {
    return running.job.reserve_limit ? running.limit_end + guest.limit : mate.end;
}

/// Nodes that a mate keeps for longer than the map knows.
struct Extension {
    Job part;  ///< the mate, on these nodes alone
    Seconds from, to;
    const NodeSet* nodes;
};

std::vector<Extension> extensions(const Cluster& cluster, const Availability& map, const Job& guest,
                                  const MateSet& chosen) {
    std::vector<Extension> all;
    for (const Mate& mate : chosen.mates) {
        const RunningJob& running = cluster.running(mate.slot);
        const Seconds end = end_beside(running, mate, guest);
        for (const int number : running.pieces) {
            const SharedNodes& piece = cluster.piece(number);
            const Seconds from = map.released(piece.free_at);
            if (end <= from) continue;
            all.push_back({running.job, from, end, &piece.nodes});
            all.back().part.nodes = piece.nodes.count();
        }
    }
    return all;
}

}  // namespace

bool delays_any(const Cluster& cluster, const Availability& map, const Job& guest, const MateSet& chosen) {
    const std::vector<Extension> longer = extensions(cluster, map, guest, chosen);
    const auto is_in_the_way = [](const Availability& of, const Extension& e) {
        return of.min_free(e.part.filter, e.from, e.to) < e.part.nodes;
    };
    // Most guests that are refused are so for one of their mates alone, and need no copy of the map.
    for (const Extension& extension : longer)
        if (is_in_the_way(map, extension)) return true;
    if (longer.size() < 2) return false;
    Availability filled = map;
    for (const Extension& extension : longer) {
        if (is_in_the_way(filled, extension)) return true;
        filled.reserve(extension.part, extension.from, extension.to);
    }
    return false;
}

bool delays_any(const Cluster& cluster, const Availability& map, const BookedNodes& booked, const Job& guest,
                const MateSet& chosen) {
    Availability filled = map;
    const std::vector<BookedSegment>& segments = booked.segments();
    for (const Extension& extension : extensions(cluster, map, guest, chosen))
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const int nodes = extension.nodes->common(segments[i].alike.nodes).count();
            if (nodes == 0) continue;
            if (filled.min_free_of(i, extension.from, extension.to) < nodes) return true;
            filled.occupy(i, extension.from, extension.to, nodes);
        }
    return false;
}

bool delays(const Cluster& cluster, const ReservedStart& reserved, const Job& guest, const MateSet& chosen,
            Seconds now) {
    int nodes = cluster.free().count();
    for (const Release& release : cluster.releases()) {
        if (std::max(release.at, now + 1) > reserved.start) break;
        nodes += release.nodes;
    }
    for (const Mate& mate : chosen.mates) {
        const RunningJob& running = cluster.running(mate.slot);
        if (end_beside(running, mate, guest) <= reserved.start) continue;
        for (const int number : running.pieces)
            if (cluster.piece(number).free_at <= reserved.start) nodes -= cluster.piece(number).nodes.count();
    }
    if (chosen.guest_end > reserved.start) nodes -= chosen.free_nodes;
    return nodes < reserved.job.nodes;
}

}  // namespace drom::policy
