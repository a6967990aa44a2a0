// SPDX-License-Identifier: BSD-3-Clause
// slowdown.cpp - decides whether a job shares or waits.
#include "policy/sharing/slowdown.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drom::policy {
namespace {

/// Returns the most cores of a node that a job can get.
int max_cores(const Cluster& cluster, const SharingRules& rules) {
    return static_cast<int>(std::floor(rules.sharing_factor * cluster.machine().cores_per_node + 1e-9));
}

}  // namespace

double slowdown_limit(const Cluster& cluster, const SlowdownRules& rules) {
    switch (rules.limit) {
        case SlowdownRules::Limit::kNumber: return rules.max_slowdown;
        case SlowdownRules::Limit::kInfinite: return std::numeric_limits<double>::infinity();
        case SlowdownRules::Limit::kDynamic: return cluster.mean_slowdown();
    }
    return 0;
}

Consideration consider(const Cluster& cluster, const Availability& availability, const Job& job, Seconds static_start,
                       double limit, const SlowdownRules& rules, Seconds now) {
    RememberedMates none;
    return consider(cluster, availability, job, static_start, limit, rules, now, none);
}

Consideration consider(const Cluster& cluster, const Availability& availability, const Job& job, Seconds static_start,
                       double limit, const SlowdownRules& rules, Seconds now, RememberedMates& remembered) {
    if (job.kind != Kind::kMalleable) return {Refusal::kNotMalleable, {}};
    if (!rules.sharing.limits.admits(job)) return {Refusal::kNotAdmitted, {}};
    const int max = max_cores(cluster, rules.sharing);
    if (max < std::max(1, job.min_cores)) return {Refusal::kTooFewCores, {}};
    const Seconds static_end = static_start >= kNever ? kNever : static_start + job.request;
    const std::int64_t work = job.request * cluster.machine().cores_per_node;
    if (static_end <= now + seconds_for(work, max)) return {Refusal::kWaitingIsSooner, {}};
    const auto& [chosen, harm] = remembered.find(cluster, availability, job, limit, rules.sharing, now);
    if (!chosen) return {Refusal::kNoMates, {}};
    if (static_end <= chosen->guest_end) return {Refusal::kWaitingIsSooner, {}};
    if (rules.gain > 0 && slowdown(job, static_end) - slowdown(job, chosen->guest_end) <= rules.gain * harm)
        return {Refusal::kHarm, {}};
    return {Refusal::kNone, *chosen};
}

Sharing sharing_of(const MateSet& chosen, NodeSet free) {
    Sharing sharing;
    for (const Mate& mate : chosen.mates) sharing.mates.push_back(mate.slot);
    sharing.cores = chosen.cores;
    sharing.on = chosen.on;
    sharing.free = std::move(free);
    return sharing;
}

int start_shared(Cluster& cluster, const Job& job, const MateSet& chosen, Seconds now) {
    Job part = job;
    part.nodes = chosen.free_nodes;
    NodeSet free = chosen.free_nodes > 0 ? cluster.pick(part) : NodeSet();
    return cluster.share(job, sharing_of(chosen, std::move(free)), now);
}

}  // namespace drom::policy
