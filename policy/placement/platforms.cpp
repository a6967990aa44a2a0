// SPDX-License-Identifier: BSD-3-Clause
// platforms.cpp - one queue before several partitions.
#include "policy/placement/platforms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drom::policy {
namespace {

using Choice = PlatformRules::Choice;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// When `nodes` nodes are free on a partition, and how many are then left.
struct Opening {
    Seconds at = kNever;
    int left = 0;
};

Opening opening(const Cluster& cluster, int nodes, Seconds now) {
    int free = cluster.free().count();
    Seconds at = now;
    const std::vector<Release>& releases = cluster.releases();
    for (std::size_t i = 0; i < releases.size() && free < nodes;) {
        at = std::max(releases[i].at, now + 1);
        for (; i < releases.size() && std::max(releases[i].at, now + 1) == at; ++i) free += releases[i].nodes;
    }
    return free < nodes ? Opening{} : Opening{at, free - nodes};
}

class Platforms final : public Scheduler {
public:
    explicit Platforms(PlatformRules rules) : rules_(std::move(rules)) {}

    void submit(const Job& job) override { queue_.push_back(job); }
    bool cancel(JobId id) override {
        return std::erase_if(queue_, [id](const Job& job) { return job.id == id; }) > 0;
    }
    Seconds wake() const override { return kNever; }
    std::size_t waiting() const override { return queue_.size(); }

    void pass(std::span<Cluster> partitions, Seconds now, bool, Changes& changes) override {
        reserved_.assign(partitions.size(), {});
        bool waits = false;
        std::erase_if(queue_, [&](const Job& job) {
            if (full(partitions)) return false;
            const int partition = choose(partitions, job, now);
            if (partition >= 0) start(partitions, job, partition, waits, now, changes);
            if (partition < 0) reserve(partitions, job, now);
            waits |= partition < 0;
            return partition >= 0;
        });
    }

private:
    /// For the first job that waits for a partition: others may use `left` nodes, or be gone at `at`.
    using Reservation = Opening;

    static bool full(std::span<const Cluster> partitions) {
        return std::ranges::all_of(partitions, [](const Cluster& cluster) { return cluster.free().empty(); });
    }

    Seconds request_on(const Job& job, int partition) const {
        return std::max<Seconds>(1,
                                 std::llround(static_cast<double>(job.request) * rules_.slowdowns.of(job, partition)));
    }

    /// Returns whether the choice lets this job onto this partition at all.
    bool allowed(std::span<const Cluster> partitions, const Job& job, int partition) const {
        if (partitions[at(partition)].machine().nodes < job.nodes) return false;
        const int last = static_cast<int>(partitions.size()) - 1;
        switch (rules_.choice) {
            case Choice::kFirst: return partition == 0;
            case Choice::kBySize: return partition == or_first(job, std::min(last, by_size(job)));
            case Choice::kByApplication: return partition == or_first(job, std::min(last, by_application(job)));
            default: return runs_on(job, partition);
        }
    }

    bool runs_on(const Job& job, int partition) const { return std::isfinite(rules_.slowdowns.of(job, partition)); }
    int or_first(const Job& job, int partition) const { return runs_on(job, partition) ? partition : 0; }

    int by_size(const Job& job) const {
        const auto larger = std::ranges::find_if(rules_.sizes, [&](int nodes) { return job.nodes >= nodes; });
        return static_cast<int>(larger - rules_.sizes.begin());
    }

    int by_application(const Job& job) const {
        const bool known = job.application >= 0 && at(job.application) < rules_.map.size();
        return known ? rules_.map[at(job.application)] : 0;
    }

    bool has_room(const Cluster& cluster, const Job& job, int partition, Seconds now) const {
        const Reservation& reserved = reserved_[at(partition)];
        if (cluster.free().count() < job.nodes) return false;
        return reserved.at == kNever || job.nodes <= reserved.left || now + request_on(job, partition) <= reserved.at;
    }

    /// Returns the partition on which the job starts now; -1: none.
    int choose(std::span<const Cluster> partitions, const Job& job, Seconds now) const {
        int best = -1;
        double most = 0;
        for (int partition = 0; at(partition) < partitions.size(); ++partition) {
            const Cluster& cluster = partitions[at(partition)];
            if (!allowed(partitions, job, partition) || !has_room(cluster, job, partition, now)) continue;
            const double score = score_of(partitions, job, partition);
            if (best >= 0 && score <= most) continue;
            best = partition;
            most = score;
        }
        return best;
    }

    double score_of(std::span<const Cluster> partitions, const Job& job, int partition) const {
        const Cluster& cluster = partitions[at(partition)];
        const double free = static_cast<double>(cluster.free().count()) * cluster.machine().cores_per_node;
        const int count = static_cast<int>(partitions.size());
        switch (rules_.choice) {
            case Choice::kSupply: return free * performance(partitions, job, partition);
            case Choice::kBestFirst: return performance(partitions, job, partition);
            case Choice::kMostFree: return free;
            case Choice::kRoundRobin: return count - (partition - turn_ + count) % count;
            default: return 1;
        }
    }

    /// Returns the performance of the job there, 1 on the partition that is best for it.
    double performance(std::span<const Cluster> partitions, const Job& job, int partition) const {
        double least = rules_.slowdowns.of(job, 0);
        for (int other = 1; at(other) < partitions.size(); ++other)
            least = std::min(least, rules_.slowdowns.of(job, other));
        return least / rules_.slowdowns.of(job, partition);
    }

    /// Reserves the partition that has room for the job first, unless an earlier job waits for that one.
    void reserve(std::span<const Cluster> partitions, const Job& job, Seconds now) {
        int best = -1;
        Opening first;
        for (int partition = 0; at(partition) < partitions.size(); ++partition) {
            if (!allowed(partitions, job, partition)) continue;
            const Opening there = opening(partitions[at(partition)], job.nodes, now);
            if (there.at >= first.at) continue;
            best = partition;
            first = there;
        }
        if (best >= 0 && reserved_[at(best)].at == kNever) reserved_[at(best)] = first;
    }

    void start(std::span<Cluster> partitions, Job job, int partition, bool others_wait, Seconds now, Changes& changes) {
        Cluster& cluster = partitions[at(partition)];
        job.request = request_on(job, partition);
        Reservation& reserved = reserved_[at(partition)];
        if (reserved.at != kNever && now + job.request > reserved.at) reserved.left -= job.nodes;
        Decision decision;
        decision.job = job.id;
        decision.at = now;
        decision.how = others_wait ? How::kBackfilled : How::kInOrder;
        decision.point.partition = partition;
        decision.point.time_factor = rules_.slowdowns.of(job, partition);
        decision.slot = cluster.start(job, cluster.pick(job), now);
        changes.started.push_back({job, decision});
        turn_ = (partition + 1) % static_cast<int>(partitions.size());
    }

    PlatformRules rules_;
    std::vector<Job> queue_;  // in the order of their coming
    std::vector<Reservation> reserved_;
    int turn_ = 0;  // of the round robin
};

}  // namespace

double Slowdowns::of(const Job& job, int partition) const {
    if (job.application < 0 || at(job.application) >= applications_.size()) return 1;
    const Rows& rows = applications_[at(job.application)];
    const auto larger = std::ranges::find_if(rows, [&](const Row& row) { return row.nodes > job.nodes; });
    if (larger == rows.begin()) return 1;
    const std::vector<double>& times = std::prev(larger)->times;
    return at(partition) < times.size() ? times[at(partition)] : std::numeric_limits<double>::infinity();
}

std::unique_ptr<Scheduler> platforms(PlatformRules rules) { return std::make_unique<Platforms>(std::move(rules)); }

}  // namespace drom::policy
