// SPDX-License-Identifier: BSD-3-Clause
// energy_aware.cpp - passes over the list of entries.
#include "policy/energy/energy_aware.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <map>

namespace drom::policy {
namespace {

Seconds scaled(Seconds request, double factor) {
    return std::max<Seconds>(1, std::llround(static_cast<double>(request) * factor));
}

/// A waiting job, which several entries of the queue are of.
struct JobOfEntries {
    Job job;
    std::uint64_t arrival = 0;
    Refusal refusal = Refusal::kNone;
    int reserved_on = -1;  ///< partition whose reservation it has in this pass; -1: none
    bool started = false;
};

/// One entry of a waiting job.
struct QueuedEntry {
    JobOfEntries* waiting = nullptr;
    const Entry* entry = nullptr;
    // When the last search for mates found none.
    std::uint64_t searched = 0;
    double limit = -1;

    Job job() const {
        Job job = waiting->job;
        job.request = scaled(job.request, entry->point.time_factor);
        job.partition = entry->point.partition;
        return job;
    }
};

bool is_before(const QueuedEntry& a, const QueuedEntry& b) {
    if (a.entry->rank != b.entry->rank) return a.entry->rank < b.entry->rank;
    return a.waiting->arrival < b.waiting->arrival;
}

/// A partition during a pass.
struct Lane {
    Lane(Cluster& of, Seconds now) : cluster(&of), map(of, now, 1) {}

    Cluster* cluster;
    Availability map;
    bool reserved = false;
    Job first;  ///< that the reservation is for
    Seconds first_at = 0;

    bool fits(const Job& job, Seconds now) const {
        if (cluster->free().count() < job.nodes) return false;
        return !reserved || map.min_free(job.filter, now, now + job.request) >= job.nodes;
    }

    void reserve(const Job& job, Seconds now) {
        reserved = true;
        first = job;
        first_at = map.earliest(job, now);
        if (first_at < kNever) map.reserve(job, first_at, first_at + job.request);
    }

    /// Computes the map anew, as mates end later than it knew; the reservation stays where it was.
    void renew(Seconds now) {
        map = Availability(*cluster, now, 1);
        if (reserved && first_at < kNever) map.reserve(first, first_at, first_at + first.request);
    }
};

class EnergyAware final : public Scheduler {
public:
    EnergyAware(EnergyModel model, EnergyRules rules, std::optional<SlowdownRules> sharing)
        : model_(std::move(model)), rules_(rules), sharing_(std::move(sharing)) {}

    void submit(const Job& job) override {
        JobOfEntries& waiting = jobs_.emplace_back();
        waiting.job = job;
        waiting.arrival = arrivals_++;
        for (const Entry& entry : entries(job)) {
            const QueuedEntry queued{&waiting, &entry};
            queue_.insert(std::upper_bound(queue_.begin(), queue_.end(), queued, is_before), queued);
        }
    }

    bool cancel(JobId id) override {
        const auto at = std::ranges::find(jobs_, id, [](const JobOfEntries& waiting) { return waiting.job.id; });
        if (at == jobs_.end()) return false;
        at->started = true;
        forget_started();
        return true;
    }

    void pass(std::span<Cluster> partitions, Seconds now, bool, Changes& changes) override {
        do {
            while (start_alone(partitions, now, changes)) forget_started();
            forget_started();
        } while (sharing_ && start_shared_ones(*sharing_, partitions, now, changes));
    }

    Seconds wake() const override { return kNever; }
    std::size_t waiting() const override { return jobs_.size(); }

private:
    const std::vector<Entry>& entries(const Job& job) {
        const auto [at, is_new] = entries_.try_emplace({job.application, job.nodes});
        if (is_new) at->second = entries_of(model_, job, rules_);
        return at->second;
    }

    std::vector<Lane> lanes_of(std::span<Cluster> partitions, Seconds now) const {
        std::vector<Lane> lanes;
        for (Cluster& cluster : partitions) lanes.emplace_back(cluster, now);
        return lanes;
    }

    std::size_t depth() const {
        return rules_.depth <= 0 ? queue_.size() : std::min(queue_.size(), static_cast<std::size_t>(rules_.depth));
    }

    /// Returns whether a job started whose other entry had a reservation: what that held back may start now.
    bool start_alone(std::span<Cluster> partitions, Seconds now, Changes& changes) {
        std::vector<Lane> lanes = lanes_of(partitions, now);
        for (JobOfEntries& waiting : jobs_) waiting.reserved_on = -1;
        bool withdrawn = false;
        const std::size_t last = depth();
        for (std::size_t i = 0; i < last; ++i) {
            QueuedEntry& queued = queue_[i];
            if (queued.waiting->started) continue;
            if (std::ranges::all_of(partitions, [](const Cluster& c) { return c.free().empty(); })) break;
            Lane& lane = lanes[static_cast<std::size_t>(queued.entry->point.partition)];
            const Job job = queued.job();
            if (lane.fits(job, now) && start(lane, queued, job, now, changes)) {
                withdrawn = withdrawn || queued.waiting->reserved_on >= 0;
            } else if (!lane.reserved) {
                lane.reserve(job, now);
                queued.waiting->reserved_on = queued.entry->point.partition;
            }
        }
        return withdrawn;
    }

    bool start(Lane& lane, QueuedEntry& queued, const Job& job, Seconds now, Changes& changes) {
        const NodeSet nodes = lane.cluster->pick(job);
        if (nodes.empty()) return false;
        lane.map.reserve(job, now, now + job.request);
        Decision decision = decision_of(queued, now);
        decision.how = lane.reserved ? How::kBackfilled : How::kInOrder;
        decision.refusal = queued.waiting->refusal;
        decision.slot = lane.cluster->start(job, nodes, now);
        changes.started.push_back({job, std::move(decision)});
        queued.waiting->started = true;
        return true;
    }

    static Decision decision_of(const QueuedEntry& queued, Seconds now) {
        Decision decision;
        decision.job = queued.waiting->job.id;
        decision.at = now;
        decision.point = queued.entry->point;
        return decision;
    }

    // ---- sharing ---------------------------------------------------------------------------------------------------

    /// Returns whether a job started that had a reservation: what that held back may start now.
    bool start_shared_ones(const SlowdownRules& sharing, std::span<Cluster> partitions, Seconds now, Changes& changes) {
        std::vector<Lane> lanes = lanes_of(partitions, now);
        std::vector<double> limits;
        for (const Cluster& cluster : partitions) limits.push_back(slowdown_limit(cluster, sharing));
        const std::size_t last = depth();
        for (std::size_t i = 0; i < last; ++i) {
            QueuedEntry& queued = queue_[i];
            if (queued.waiting->started) continue;
            const auto number = static_cast<std::size_t>(queued.entry->point.partition);
            Lane& lane = lanes[number];
            const Job job = queued.job();
            if (!lane.reserved) lane.reserve(job, now);
            if (no_mates_again(sharing.sharing, *lane.cluster, queued, job, limits[number], now)) continue;
            share(sharing, lanes, queued, job, limits[number], now, changes);
        }
        const bool withdrawn = std::ranges::any_of(
            jobs_, [](const JobOfEntries& waiting) { return waiting.started && waiting.reserved_on >= 0; });
        forget_started();
        return withdrawn;
    }

    /// Returns whether the job finds no mates again. Most jobs that found none find none in the next pass either: only
    /// later starts could help.
    static bool no_mates_again(const SharingRules& rules, const Cluster& cluster, QueuedEntry& queued, const Job& job,
                               double limit, Seconds now) {
        if (queued.limit < 0 || limit > queued.limit || rules.jobs_per_node > 2 || rules.add_free_nodes) return false;
        if (has_new_mates(cluster, job, queued.searched, limit, rules, now)) return false;
        queued.searched = cluster.mates_version();
        return true;
    }

    void share(const SlowdownRules& sharing, std::vector<Lane>& lanes, QueuedEntry& queued, const Job& job,
               double limit, Seconds now, Changes& changes) {
        Lane& lane = lanes[static_cast<std::size_t>(queued.entry->point.partition)];
        const Seconds alone = end_alone(lanes, *queued.waiting, now);
        const Seconds static_start = alone >= kNever ? kNever : alone - job.request;
        Consideration considered = consider(*lane.cluster, lane.map, job, static_start, limit, sharing, now);
        queued.waiting->refusal = considered.refusal;
        queued.searched = lane.cluster->mates_version();
        queued.limit = considered.refusal == Refusal::kNoMates ? limit : -1;
        if (considered.refusal != Refusal::kNone) return;
        Decision decision = decision_of(queued, now);
        decision.how = How::kShared;
        decision.static_start = static_start;
        decision.limit = limit;
        decision.slot = start_shared(*lane.cluster, job, considered.mates, now);
        decision.mate_set = std::move(considered.mates);
        changes.started.push_back({job, std::move(decision)});
        queued.waiting->started = true;
        lane.renew(now);
    }

    /// Returns the earliest predicted end of the job on nodes of its own, on any of its partitions.
    Seconds end_alone(const std::vector<Lane>& lanes, JobOfEntries& waiting, Seconds now) {
        Seconds end = kNever;
        for (const Entry& entry : entries(waiting.job)) {
            const Job job = QueuedEntry{&waiting, &entry}.job();
            const Lane& lane = lanes[static_cast<std::size_t>(entry.point.partition)];
            const bool is_first = lane.reserved && lane.first.id == job.id;
            const Seconds start = is_first ? lane.first_at : lane.map.earliest(job, now);
            if (start < kNever) end = std::min(end, start + job.request);
        }
        return end;
    }

    void forget_started() {
        std::erase_if(queue_, [](const QueuedEntry& queued) { return queued.waiting->started; });
        std::erase_if(jobs_, [](const JobOfEntries& waiting) { return waiting.started; });
    }

    const EnergyModel model_;
    const EnergyRules rules_;
    const std::optional<SlowdownRules> sharing_;
    std::map<std::pair<int, int>, std::vector<Entry>> entries_;  ///< by application and nodes
    std::list<JobOfEntries> jobs_;
    std::vector<QueuedEntry> queue_;
    std::uint64_t arrivals_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> energy_aware(EnergyModel model, EnergyRules rules, std::optional<SlowdownRules> sharing) {
    return std::make_unique<EnergyAware>(std::move(model), rules, std::move(sharing));
}

}  // namespace drom::policy
