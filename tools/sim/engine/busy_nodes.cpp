// SPDX-License-Identifier: BSD-3-Clause
// busy_nodes.cpp - jobs without those that share their nodes.
#include "engine/busy_nodes.hpp"

#include <algorithm>
#include <unordered_map>

namespace drom::sim {
namespace {

class Hosts {
public:
    Hosts(const Outcome& outcome, Seconds stop) : outcome_(outcome), stop_(stop) {
        for (std::size_t i = 0; i < outcome.jobs.size(); ++i)
            if (outcome.jobs[i].hosted) hosts_.emplace(outcome.jobs[i].id, i);
    }

    /// Returns the end of the job. A job that still ran when the simulation was stopped keeps its nodes until then.
    Seconds end_of(const JobOutcome& job) const { return job.ended() ? job.end : stop_; }

    /// Returns the job that ran at `now`, as ids of logs need not be unique; null when there is none.
    const JobOutcome* find(std::int64_t id, Seconds now) const {
        const auto [begin, end] = hosts_.equal_range(id);
        for (auto at = begin; at != end; ++at) {
            const JobOutcome& job = outcome_.jobs[at->second];
            if (job.start >= 0 && job.start <= now && now <= end_of(job)) return &job;
        }
        return nullptr;
    }

private:
    const Outcome& outcome_;
    const Seconds stop_;
    std::unordered_multimap<std::int64_t, std::size_t> hosts_;
};

}  // namespace

std::vector<BusyNodes> busy_nodes(const Outcome& outcome, Seconds stop, std::optional<int> partition) {
    const Hosts hosts(outcome, stop);
    std::vector<BusyNodes> busy;
    busy.reserve(outcome.jobs.size());
    for (const JobOutcome& job : outcome.jobs) {
        if (partition && job.point.partition != *partition) continue;
        const NodeHistory& history = *job.history;
        busy.insert(busy.end(), history.held.begin(), history.held.end());
        if (job.start < 0 || job.start >= stop || job.program >= 0) continue;
        const Seconds end = hosts.end_of(job);
        int own = history.shrunk > 0 ? history.shrunk : job.size();
        for (const std::int64_t id : job.joined->mates) {
            const JobOutcome* mate = hosts.find(id, job.start);
            if (mate == nullptr) continue;
            own -= mate->nodes;
            if (hosts.end_of(*mate) < end) busy.push_back({mate->nodes, hosts.end_of(*mate), end});
        }
        if (own > 0) busy.push_back({own, history.shrunk > 0 ? history.shrunk_at : job.start, end});
    }
    return busy;
}

}  // namespace drom::sim
