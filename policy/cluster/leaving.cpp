// SPDX-License-Identifier: BSD-3-Clause
// leaving.cpp - which nodes a job may use for a while, and when it leaves them.
#include "policy/cluster/leaving.hpp"

#include <algorithm>

namespace drom::policy {

NodeSet Leaving::pick(const Cluster& cluster, const Availability& map, const Job& job, Seconds now) const {
    if (job.kind != Kind::kMalleable || job.resize != nullptr || job.filter.contiguous) return {};
    const std::vector<BookedSegment>& segments = booked_.segments();
    // Each time that it leaves nodes its work is rounded up, and so is its end.
    const Seconds latest = now + 2 * (std::max(job.request, job.limit) + static_cast<Seconds>(segments.size())) + 1;
    NodeSet nodes;
    int kept = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const BookedSegment& segment = segments[i];
        if (!segment.alike.suits(job.filter)) continue;
        const bool keeps = !segment.booked(now, latest);
        const Seconds begins = segment.begins(now);
        if (!keeps && begins - lead_ <= now) continue;
        NodeSet here = cluster.free().common(segment.alike.nodes);
        const int free = std::min(here.count(), map.min_free_of(i, now, keeps ? latest : begins));
        const NodeSet taken = here.take_first(std::min(free, job.nodes - nodes.count()));
        nodes.insert(taken);
        if (keeps) kept += taken.count();
    }
    return nodes.count() == job.nodes && 2 * kept >= job.nodes ? nodes : NodeSet();
}

bool Leaving::leaves(const BookedSegment& segment, const RunningJob& running, const NodeSet& nodes, Seconds now) const {
    return segment.begins(now) < running.limit_end && !nodes.common(segment.alike.nodes).empty();
}

NodeSet Leaving::due(const Cluster& cluster, int slot, Seconds now) const {
    const RunningJob& running = cluster.running(slot);
    if (!running.runs || running.job.kind != Kind::kMalleable) return {};
    const NodeSet nodes = cluster.nodes_of(slot);
    NodeSet left;
    for (const BookedSegment& segment : booked_.segments())
        if (segment.begins(now) - lead_ <= now && leaves(segment, running, nodes, now))
            left.insert(nodes.common(segment.alike.nodes));
    return left;
}

Seconds Leaving::first_leave(const Cluster& cluster, int slot, Seconds now) const {
    const RunningJob& running = cluster.running(slot);
    if (!running.runs || running.job.kind != Kind::kMalleable) return kNever;
    const NodeSet nodes = cluster.nodes_of(slot);
    Seconds first = kNever;
    for (const BookedSegment& segment : booked_.segments())
        if (leaves(segment, running, nodes, now)) first = std::min(first, segment.begins(now) - lead_);
    return first;
}

Seconds Leaving::next(const Cluster& cluster, Seconds now) const {
    Seconds next = kNever;
    for (int slot = 0; slot < cluster.slots(); ++slot) next = std::min(next, first_leave(cluster, slot, now));
    return next;
}

/// Returns when the job ends if it leaves all nodes that it has to at the first time.
Seconds Leaving::end_of(const Cluster& cluster, int slot, Seconds now) const {
    const RunningJob& running = cluster.running(slot);
    const Seconds first = first_leave(cluster, slot, now);
    if (running.release() <= first) return running.release();
    const NodeSet nodes = cluster.nodes_of(slot);
    int kept = running.job.nodes;
    for (const BookedSegment& segment : booked_.segments())
        if (leaves(segment, running, nodes, now)) kept -= nodes.common(segment.alike.nodes).count();
    return first + ((running.release() - first) * running.job.nodes + kept - 1) / std::max(1, kept);
}

void Leaving::keep(Availability& map, const Cluster& cluster, Seconds now) const {
    const std::vector<BookedSegment>& segments = booked_.segments();
    for (int slot = 0; slot < cluster.slots(); ++slot) {
        if (first_leave(cluster, slot, now) == kNever) continue;
        const RunningJob& running = cluster.running(slot);
        const Seconds end = map.released(end_of(cluster, slot, now));
        const NodeSet nodes = cluster.nodes_of(slot);
        for (std::size_t i = 0; i < segments.size(); ++i)
            if (!leaves(segments[i], running, nodes, now))
                map.occupy(i, map.released(running.release()), end, nodes.common(segments[i].alike.nodes).count());
    }
}

}  // namespace drom::policy
