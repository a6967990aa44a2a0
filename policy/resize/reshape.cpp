// SPDX-License-Identifier: BSD-3-Clause
// reshape.cpp - resize points, one after the other, and the starts between.
#include "policy/resize/reshape.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "policy/resize/waiting_line.hpp"

namespace drom::policy {
namespace {

JobClass class_of(const Job& job) { return job.resize != nullptr ? job.resize->rank : JobClass::kGold; }

class Reshape final : public Scheduler {
public:
    explicit Reshape(const ReshapeRules& rules) : rules_(rules) {}

    void submit(const Job& job) override { line_.submit(job); }
    bool cancel(JobId id) override { return line_.cancel(id); }
    void iterated(const Iteration& iteration) override { points_.push_back(iteration); }
    Seconds wake() const override { return kNever; }
    std::size_t waiting() const override { return line_.size(); }

    void pass(std::span<Cluster> partitions, Seconds now, bool ended, Changes& changes) override {
        Cluster& cluster = partitions.front();
        if (ended) forget_ended(cluster);
        sort(now);
        start_waiting(cluster, now, changes);
        for (const Iteration& point : std::exchange(points_, {})) decide(cluster, point, now, changes);
    }

private:
    void forget_ended(const Cluster& cluster) {
        std::erase_if(running_, [&](const ResizableJob& job) {
            const RunningJob& running = cluster.running(job.slot);
            return !running.runs || running.job.id != job.id;
        });
    }

    void sort(Seconds now) {
        const auto priority = [&](const Job& job) {
            return queue_priority(rules_.queue, static_cast<double>(now - job.submit),
                                  static_cast<double>(rules_.wait_limit), static_cast<double>(job.request), job.nodes);
        };
        line_.sort([&](const Job& a, const Job& b) {
            if (class_of(a) != class_of(b)) return class_of(a) > class_of(b);
            const double x = priority(a), y = priority(b);
            return x != y ? x > y : a.submit < b.submit;
        });
    }

    void start_waiting(Cluster& cluster, Seconds now, Changes& changes) {
        const std::size_t before = changes.started.size();
        line_.start(cluster, now, changes.started);
        for (std::size_t i = before; i < changes.started.size(); ++i) add_running(changes.started[i]);
    }

    void add_running(const Start& start) {
        if (start.job.resize == nullptr) return;
        ResizableJob job;
        static_cast<ResizeTraits&>(job) = *start.job.resize;
        if (job.sizes.law == SizeLaw::kStep) job.sizes.step = rules_.step;
        job.id = start.job.id;
        job.slot = start.decision.slot;
        job.profile = Profile(start.job.nodes);
        job.next_point = static_cast<double>(kNever);
        running_.push_back(job);
    }

    /// The state that is restored when a harvest lets no job start.
    struct Before {
        Cluster cluster;
        std::size_t started, resized;  ///< of the changes
    };

    void decide(Cluster& cluster, const Iteration& point, Seconds now, Changes& changes) {
        const auto found = std::ranges::find(running_, point.slot, &ResizableJob::slot);
        if (found == running_.end()) return;
        const auto at = static_cast<std::size_t>(found - running_.begin());
        found->profile.measured(point.seconds);
        found->next_point = static_cast<double>(now) + point.seconds;
        lift_marks(running_, rules_.resize, now);
        const int size = found->size();
        const Proposal first = before_starts(*rules_.scenario, view(cluster, at), rules_.resize);
        std::optional<Before> before;
        if (first.size < size) before = Before{cluster, changes.started.size(), changes.resized.size()};
        carry_out(cluster, first, at, now, changes);
        start_waiting(cluster, now, changes);
        const Proposal second = after_starts(*rules_.scenario, view(cluster, at), rules_.resize, first);
        carry_out(cluster, second, at, now, changes);
        if (before && second.size == size) take_back(std::move(*before), cluster, changes);
    }

    // The nodes were too few for any waiting job, and the job has grown again. It keeps the nodes that it had, and does
    // not pay for two changes. Its profile has both, as after any harvest. A job that started in between has some of
    // its nodes: then both changes stay.
    static void take_back(Before before, Cluster& cluster, Changes& changes) {
        if (changes.started.size() > before.started) return;
        cluster = std::move(before.cluster);
        changes.resized.resize(before.resized);
    }

    ResizeView view(const Cluster& cluster, std::size_t at) const {
        ResizeView view{running_, at, cluster.free().count(), std::nullopt};
        if (!line_.empty()) view.head = Head{line_.first().nodes, class_of(line_.first())};
        return view;
    }

    void carry_out(Cluster& cluster, const Proposal& proposal, std::size_t at, Seconds now, Changes& changes) {
        const int from = running_[at].size(), slot = running_[at].slot;
        apply(proposal, running_, at, now);
        if (proposal.size == from) return;
        cluster.resize(slot, proposal.size, now, std::max(now, cluster.running(slot).end));
        changes.resized.push_back({0, slot, from, proposal.size});
    }

    const ReshapeRules rules_;
    WaitingLine line_;
    std::vector<ResizableJob> running_;  ///< those that say how they can be resized
    std::vector<Iteration> points_;      ///< since the last pass
};

}  // namespace

std::unique_ptr<Scheduler> reshape(const ReshapeRules& rules) { return std::make_unique<Reshape>(rules); }

}  // namespace drom::policy
