// SPDX-License-Identifier: BSD-3-Clause
// idle_nodes.cpp - idle nodes as a map of what is free when.
#include "policy/cluster/idle_nodes.hpp"

#include <algorithm>

namespace drom::policy {

std::vector<IdleNodes> idle_within(const std::vector<IdleNodes>& idle, const NodeSet& nodes) {
    std::vector<IdleNodes> sorted = idle;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const IdleNodes& a, const IdleNodes& b) { return a.until < b.until; });
    std::vector<IdleNodes> within;
    NodeSet left = nodes;
    for (const IdleNodes& some : sorted) {
        NodeSet here = some.nodes.common(left);
        if (here.empty()) continue;
        left.erase(here);
        if (!within.empty() && within.back().until == some.until)
            within.back().nodes.insert(here);
        else
            within.push_back({std::move(here), some.until});
    }
    return within;
}

std::vector<IdleNodes> until_promised(const std::vector<IdleNodes>& idle, const std::vector<Promise>& promises) {
    std::vector<IdleNodes> wanted = idle;
    NodeSet left;
    for (const IdleNodes& some : idle) left.insert(some.nodes);
    for (const Promise& promise : promises) {
        if (promise.start)
            wanted.push_back({promise.nodes, *promise.start});
        else
            left.erase(promise.nodes);
    }
    return idle_within(wanted, left);
}

NodeSet wanted_before(const std::vector<IdleNodes>& idle, Seconds end) {
    NodeSet wanted;
    for (const IdleNodes& some : idle)
        if (some.until < end) wanted.insert(some.nodes);
    return wanted;
}

Availability availability_of(const std::vector<IdleNodes>& idle, const NodeClass& alike, Seconds now) {
    int all = 0;
    for (const IdleNodes& some : idle) all += some.until > now ? some.nodes.count() : 0;
    Timeline timeline(now, all);
    for (const IdleNodes& some : idle)
        if (some.until > now && some.until < kNever) timeline.occupy(some.until, kNever, some.nodes.count());
    return {alike, std::move(timeline)};
}

NodeSet idle_until(const std::vector<IdleNodes>& idle, Seconds end, int count) {
    NodeSet taken;
    for (const IdleNodes& some : idle) {
        if (some.until < end) continue;
        NodeSet here = some.nodes;
        taken.insert(here.take_first(std::max(0, count - taken.count())));
    }
    return taken;
}

}  // namespace drom::policy
