// SPDX-License-Identifier: BSD-3-Clause
// moldable.cpp - the queue in order; each job asks the map of reservations for its best size.
#include "policy/molding/moldable.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "policy/cluster/availability.hpp"
#include "policy/molding/waiting_requests.hpp"

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

/// Waiting jobs that ask for the same number of nodes, and the sizes that they can have.
struct Width {
    std::vector<Size> sizes;
    WaitingRequests waiting;
};

/// Returns whether a job of that request fits on one of the sizes into what is free now.
bool fits_now(const std::vector<FreeSpan>& spans, const std::vector<Size>& sizes, int asked, Seconds request,
              Seconds now) {
    for (const Size& size : sizes) {
        if (size.nodes > spans.front().nodes) return false;  // the first has the most nodes
        const Seconds end = now + molded_request(request, asked, size);
        const auto has = [&](const FreeSpan& span) { return size.nodes <= span.nodes && end <= span.until; };
        if (std::ranges::any_of(spans, has)) return true;
    }
    return false;
}

class Moldable final : public Scheduler {
public:
    explicit Moldable(const MoldRules& rules) : rules_(rules) {}

    void submit(const Job& job) override { queue_.emplace_hint(queue_.end(), next_++, job); }
    bool cancel(JobId id) override {
        const auto found = std::ranges::find_if(queue_, [id](const auto& entry) { return entry.second.id == id; });
        if (found == queue_.end()) return false;
        forget(found);
        return true;
    }
    Seconds wake() const override { return kNever; }
    std::size_t waiting() const override { return queue_.size(); }

    void pass(std::span<Cluster> partitions, Seconds now, bool /*ended*/, Changes& changes) override {
        Cluster& cluster = partitions.front();
        Availability map(cluster, now, 1);
        list_new_jobs(cluster.machine());
        int reserved = 0;
        How how = How::kInOrder;
        auto next = queue_.begin();
        while (next != queue_.end() && (rules_.reservations == 0 || reserved < rules_.reservations)) {
            const auto here = next++;
            const std::optional<Choice> choice = earliest_end(cluster, map, here->second, now);
            if (choice) map.reserve(choice->job, choice->start, choice->end());
            if (choice && choice->start <= now) {
                start(cluster, *choice, how, now, changes.started);
                forget(here);
                continue;
            }
            reserved += choice ? 1 : 0;
            how = How::kBackfilled;
        }
        if (next != queue_.end() && !cluster.free().empty()) fill(cluster, map, next->first, now, changes.started);
    }

private:
    using Order = WaitingRequests::Order;
    using Queue = std::map<Order, Job>;
    using Key = std::pair<int, bool>;  ///< nodes asked for; true: of moldable jobs

    static Key key_of(const Job& job) { return {job.nodes, job.kind == Kind::kMoldable}; }

    Width& width_of(const Job& job, const Machine& machine) {
        const auto [known, is_new] = widths_.try_emplace(key_of(job));
        if (!is_new) return known->second;
        if (job.kind == Kind::kMoldable)
            known->second.sizes = mold_sizes(job.nodes, machine.nodes, machine.cores_per_node, rules_);
        else
            known->second.sizes = {{job.nodes, 1}};
        return known->second;
    }

    void list_new_jobs(const Machine& machine) {
        for (auto job = queue_.lower_bound(listed_); job != queue_.end(); ++job)
            width_of(job->second, machine).waiting.push(job->first, job->second.request);
        listed_ = next_;
    }

    void forget(Queue::iterator job) {
        if (job->first < listed_) widths_.at(key_of(job->second)).waiting.remove(job->first);
        queue_.erase(job);
    }

    /// Starts those jobs from `from` on that fit now, in their order. Of each width the first that fits is a candidate.
    /// Free nodes only become fewer: a job that did not fit does not fit later either.
    void fill(Cluster& cluster, Availability& map, Order from, Seconds now, std::vector<Start>& started) {
        std::vector<FreeSpan> spans = map.spans(now);
        std::set<std::pair<Order, Key>> candidates;
        const auto look = [&](const Key& key, const Width& width, Order after) {
            const Order order = width.waiting.next(
                after, [&](Seconds request) { return fits_now(spans, width.sizes, key.first, request, now); });
            if (order != WaitingRequests::kNone) candidates.emplace(order, key);
        };
        for (const auto& [key, width] : widths_)
            if (!width.waiting.empty()) look(key, width, from);
        while (!candidates.empty()) {
            const auto [order, key] = *candidates.begin();
            candidates.erase(candidates.begin());
            const auto job = queue_.find(order);
            if (const std::optional<Choice> choice = best_now(cluster, map, job->second, now)) {
                map.reserve(choice->job, choice->start, choice->end());
                start(cluster, *choice, How::kBackfilled, now, started);
                spans = map.spans(now);
                forget(job);
            }
            look(key, widths_.at(key), order + 1);
        }
    }

    std::optional<Choice> earliest_end(const Cluster& cluster, const Availability& map, const Job& job, Seconds now) {
        std::optional<Choice> best;
        for (const Size& size : width_of(job, cluster.machine()).sizes) {
            Choice choice{molded(job, size), size.time_factor, kNever};
            choice.start = map.earliest(choice.job, now);
            if (choice.start < kNever && (!best || choice.better_than(*best))) best = choice;
        }
        return best;
    }

    std::optional<Choice> best_now(const Cluster& cluster, const Availability& map, const Job& job, Seconds now) {
        std::optional<Choice> best;
        for (const Size& size : width_of(job, cluster.machine()).sizes) {
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
    Queue queue_;       ///< in the order of their coming
    Order next_ = 0;    ///< number of the next job that comes
    Order listed_ = 0;  ///< jobs before it are in widths_
    std::map<Key, Width> widths_;
};

}  // namespace

std::unique_ptr<Scheduler> moldable(const MoldRules& rules) { return std::make_unique<Moldable>(rules); }

}  // namespace drom::policy
