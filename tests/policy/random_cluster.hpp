// SPDX-License-Identifier: BSD-3-Clause
// random_cluster.hpp - generated machines with jobs that came, shared and went.
#pragma once

#include <rapidcheck.h>

#include "policy/sharing/slowdown.hpp"

namespace drom::test {

using namespace drom::policy;

inline Job random_job(JobId id, Seconds now, int max_nodes) {
    Job job;
    job.id = id;
    job.submit = *rc::gen::inRange<Seconds>(std::max<Seconds>(0, now - 500), now + 1);
    job.request = *rc::gen::inRange<Seconds>(1, 400);
    job.nodes = *rc::gen::inRange(1, max_nodes + 1);
    job.min_cores = *rc::gen::weightedElement<int>({{8, 1}, {1, 2}, {1, 3}});
    job.kind = *rc::gen::weightedElement<Kind>({{6, Kind::kMalleable}, {1, Kind::kRigid}});
    job.partition = *rc::gen::inRange(-1, 2);
    job.qos = *rc::gen::inRange(-1, 2);
    return job;
}

inline std::vector<int> slots_of(const Cluster& cluster) {
    std::vector<int> slots;
    for (int slot = 0; slot < cluster.slots(); ++slot)
        if (cluster.running(slot).runs) slots.push_back(slot);
    return slots;
}

/// Returns a cluster after some starts, shared starts and ends; `now` is the time of the last one.
inline Cluster random_cluster(const Machine& machine, const SharingRules& rules, Seconds& now, int steps) {
    Cluster cluster(machine);
    for (JobId id = 1; id <= steps; ++id) {
        now += *rc::gen::inRange<Seconds>(0, 50);
        const Job job = random_job(id, now, std::max(1, machine.nodes / 3));
        const std::vector<int> slots = slots_of(cluster);
        if (!slots.empty() && *rc::gen::weightedElement<bool>({{1, true}, {3, false}})) {
            cluster.finish(*rc::gen::elementOf(slots), now);
        } else if (const NodeSet nodes = cluster.pick(job); !nodes.empty()) {
            cluster.start(job, nodes, now);
        } else {
            const Availability map(cluster, now, 1);
            if (const auto chosen = choose_mates(cluster, map, job, 1e9, rules, now))
                start_shared(cluster, job, *chosen, now);
        }
    }
    return cluster;
}

}  // namespace drom::test
