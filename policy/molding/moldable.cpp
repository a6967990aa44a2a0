// SPDX-License-Identifier: BSD-3-Clause
// moldable.cpp - the queue in order; each job asks the map of reservations for its best size.
#include "policy/molding/moldable.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "policy/cluster/availability.hpp"

namespace drom::policy {
namespace {

/// A size of a job and when it could start on it.
struct Choice {
    Job job;  ///< on that size
    double time_factor = 1;
    Seconds start = kNever;

    Seconds end() const noexcept { return start + job.request; }
    bool better_than(const Choice& other) const noexcept {
        if (end() != other.end()) return end() < other.end();
        return job.request * job.nodes < other.job.request * other.job.nodes;
    }
};

class Moldable final : public Scheduler {
public:
    explicit Moldable(const MoldRules& rules) : rules_(rules) {}

    void submit(const Job& job) override { queue_.push_back(job); }
    bool cancel(JobId id) override {
        return std::erase_if(queue_, [id](const Job& job) { return job.id == id; }) > 0;
    }
    Seconds wake() const override { return kNever; }
    std::size_t waiting() const override { return queue_.size(); }

    void pass(std::span<Cluster> partitions, Seconds now, bool /*ended*/, Changes& changes) override {
        Cluster& cluster = partitions.front();
        Availability map(cluster, now, 1);
        std::size_t kept = 0, next = 0;
        int reserved = 0;
        for (; next < queue_.size(); ++next) {
            const bool may_reserve = rules_.reservations == 0 || reserved < rules_.reservations;
            if (!may_reserve && cluster.free().empty()) break;
            const std::optional<Choice> choice =
                may_reserve ? earliest_end(cluster, map, queue_[next], now) : best_now(cluster, map, queue_[next], now);
            if (choice) map.reserve(choice->job, choice->start, choice->end());
            if (choice && choice->start <= now) {
                start(cluster, *choice, kept == 0 ? How::kInOrder : How::kBackfilled, now, changes.started);
                continue;
            }
            reserved += choice ? 1 : 0;
            if (kept != next) queue_[kept] = queue_[next];
            ++kept;
        }
        const auto begin = queue_.begin();
        queue_.erase(begin + static_cast<std::ptrdiff_t>(kept), begin + static_cast<std::ptrdiff_t>(next));
    }

private:
    const std::vector<Size>& sizes_of(const Job& job, const Machine& machine) {
        static const std::vector<Size> kNone;
        const bool may = job.kind == Kind::kMoldable;
        const auto [known, is_new] = sizes_.try_emplace({job.nodes, may}, kNone);
        if (!is_new) return known->second;
        if (may)
            known->second = mold_sizes(job.nodes, machine.nodes, machine.cores_per_node, rules_);
        else
            known->second = {{job.nodes, 1}};
        return known->second;
    }

    std::optional<Choice> earliest_end(const Cluster& cluster, const Availability& map, const Job& job, Seconds now) {
        std::optional<Choice> best;
        for (const Size& size : sizes_of(job, cluster.machine())) {
            Choice choice{molded(job, size), size.time_factor, kNever};
            choice.start = map.earliest(choice.job, now);
            if (choice.start < kNever && (!best || choice.better_than(*best))) best = choice;
        }
        return best;
    }

    std::optional<Choice> best_now(const Cluster& cluster, const Availability& map, const Job& job, Seconds now) {
        std::optional<Choice> best;
        for (const Size& size : sizes_of(job, cluster.machine())) {
            if (size.nodes > cluster.free().count()) break;
            const Choice choice{molded(job, size), size.time_factor, now};
            if (map.min_free(job.filter, now, choice.end()) < size.nodes) continue;
            if (!best || choice.better_than(*best)) best = choice;
        }
        return best;
    }

    static void start(Cluster& cluster, const Choice& choice, How how, Seconds now, std::vector<Start>& started) {
        Decision decision;
        decision.job = choice.job.id;
        decision.at = now;
        decision.how = how;
        decision.point.time_factor = choice.time_factor;
        decision.slot = cluster.start(choice.job, cluster.pick(choice.job), now);
        started.push_back({choice.job, std::move(decision)});
    }

    const MoldRules rules_;
    std::vector<Job> queue_;                                   ///< in the order of their coming
    std::map<std::pair<int, bool>, std::vector<Size>> sizes_;  ///< by nodes asked for; true: of moldable jobs
};

}  // namespace

std::unique_ptr<Scheduler> moldable(const MoldRules& rules) { return std::make_unique<Moldable>(rules); }

}  // namespace drom::policy
