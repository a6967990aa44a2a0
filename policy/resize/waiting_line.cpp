// SPDX-License-Identifier: BSD-3-Clause
// waiting_line.cpp - EASY over a queue in any order.
#include "policy/resize/waiting_line.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

/// The nodes and the time that the reservation of the first job leaves to others.
struct Room {
    int extra = 0;      ///< nodes that it does not need when it starts
    Seconds until = 0;  ///< its start

    bool admits(const Job& job, Seconds now) const { return job.nodes <= extra || now + job.request <= until; }
    void take(const Job& job, Seconds now) {
        if (now + job.request > until) extra -= job.nodes;
    }
};

Room room_before(const Job& first, const Cluster& cluster, Seconds now) {
    int nodes = cluster.free().count();
    Seconds at = now;
    for (const Release& release : cluster.releases()) {
        const Seconds then = std::max(release.at, now + 1);  // predicted ends that have passed are due any moment
        if (nodes >= first.nodes && then > at) break;
        nodes += release.nodes;
        at = then;
    }
    if (nodes < first.nodes) return {cluster.machine().nodes, kNever};  // it can never start: no job waits for it
    return {nodes - first.nodes, at};
}

void start_alone(Cluster& cluster, const Job& job, How how, Seconds now, std::vector<Start>& started) {
    Decision decision;
    decision.job = job.id;
    decision.at = now;
    decision.how = how;
    decision.slot = cluster.start(job, cluster.pick(job), now);
    started.push_back({job, decision});
}

}  // namespace

bool WaitingLine::cancel(JobId id) {
    return std::erase_if(jobs_, [id](const Job& job) { return job.id == id; }) > 0;
}

void WaitingLine::sort(const std::function<bool(const Job&, const Job&)>& before) {
    std::stable_sort(jobs_.begin(), jobs_.end(), before);
}

void WaitingLine::start(Cluster& cluster, Seconds now, std::vector<Start>& started) {
    start_in_order(cluster, now, started);
    if (!jobs_.empty() && !cluster.free().empty()) backfill(cluster, now, started);
}

void WaitingLine::start_in_order(Cluster& cluster, Seconds now, std::vector<Start>& started) {
    auto next = jobs_.begin();
    for (; next != jobs_.end() && next->nodes <= cluster.free().count(); ++next)
        start_alone(cluster, *next, How::kInOrder, now, started);
    jobs_.erase(jobs_.begin(), next);
}

void WaitingLine::backfill(Cluster& cluster, Seconds now, std::vector<Start>& started) {
    Room room = room_before(jobs_.front(), cluster, now);
    const auto starts = [&](const Job& job) {
        if (job.nodes > cluster.free().count() || !room.admits(job, now)) return false;
        room.take(job, now);
        start_alone(cluster, job, How::kBackfilled, now, started);
        return true;
    };
    jobs_.erase(std::remove_if(jobs_.begin() + 1, jobs_.end(), starts), jobs_.end());
}

}  // namespace drom::policy
