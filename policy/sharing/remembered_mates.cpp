// SPDX-License-Identifier: BSD-3-Clause
// remembered_mates.cpp - one search per demand and state of the cluster.
#include "policy/sharing/remembered_mates.hpp"

namespace drom::policy {
namespace {

double harm_of(const Cluster& cluster, const MateSet& chosen) {
    double sum = 0;
    for (const Mate& mate : chosen.mates) {
        const RunningJob& running = cluster.running(mate.slot);
        sum += mate.slowdown - slowdown(running.job, running.end);
    }
    return sum;
}

}  // namespace

FoundMates search_for_mates(const Cluster& cluster, const Availability& availability, const Job& job, double limit,
                            const SharingRules& rules, Seconds now) {
    FoundMates found{choose_mates(cluster, availability, job, limit, rules, now), 0};
    if (found.mates) found.harm = harm_of(cluster, *found.mates);
    return found;
}

const FoundMates& RememberedMates::find(const Cluster& cluster, const Availability& availability, const Job& job,
                                        double limit, const SharingRules& rules, Seconds now) {
    if (rules.add_free_nodes) {
        ++searches_;
        latest_ = search_for_mates(cluster, availability, job, limit, rules, now);
        return latest_;
    }
    const Moment moment{&cluster, cluster.version(), now, limit};
    if (moment != moment_) {
        found_.clear();
        moment_ = moment;
    }
    const NodeFilter& filter = job.filter;
    const Demand demand{job.request,       job.nodes,     job.min_cores, filter.features,        filter.memory_mb,
                        filter.contiguous, filter.within, job.qos,       rules.limits.owner(job)};
    const auto known = found_.find(demand);
    if (known != found_.end()) return known->second;
    ++searches_;
    return found_[demand] = search_for_mates(cluster, availability, job, limit, rules, now);
}

}  // namespace drom::policy
