// SPDX-License-Identifier: BSD-3-Clause
// efficiency.cpp - ticks of the elastic runtime scheduler.
#include "policy/resize/efficiency.hpp"

#include <algorithm>
#include <numeric>

#include "policy/resize/waiting_line.hpp"

namespace drom::policy {
namespace {

/// A running job with what its iterations told since its last change of size.
struct Observed {
    JobId id = 0;
    int slot = 0;
    std::vector<double> mtct;

    Communication communication() const {
        if (mtct.empty()) return {};
        const auto mean = [](auto from, auto to) {
            return std::accumulate(from, to, 0.0) / static_cast<double>(to - from);
        };
        const auto quarter = static_cast<std::ptrdiff_t>((mtct.size() + 3) / 4);
        return {mean(mtct.begin(), mtct.end()), mean(mtct.end() - quarter, mtct.end()), true};
    }
};

class Efficiency final : public Scheduler {
public:
    explicit Efficiency(const EfficiencyRules& rules) : rules_(rules) {}

    void submit(const Job& job) override { line_.submit(job); }
    bool cancel(JobId id) override { return line_.cancel(id); }
    void iterated(const Iteration& iteration) override {
        for (Observed& job : running_)
            if (job.slot == iteration.slot) job.mtct.push_back(iteration.mtct);
    }
    Seconds wake() const override { return running_.empty() ? kNever : due_; }
    std::size_t waiting() const override { return line_.size(); }

    void pass(std::span<Cluster> partitions, Seconds now, bool ended, Changes& changes) override {
        Cluster& cluster = partitions.front();
        if (ended) forget_ended(cluster);
        line_.sort([](const Job& a, const Job& b) { return priority(a) > priority(b); });
        start_waiting(cluster, now, changes);
        if (running_.empty() || now < due_) return;
        tick(cluster, now, changes);
        due_ = now + rules_.tick;
    }

private:
    static int priority(const Job& job) { return job.resize != nullptr ? static_cast<int>(job.resize->rank) : 0; }

    void forget_ended(const Cluster& cluster) {
        std::erase_if(running_, [&](const Observed& job) {
            const RunningJob& running = cluster.running(job.slot);
            return !running.runs || running.job.id != job.id;
        });
    }

    void start_waiting(Cluster& cluster, Seconds now, Changes& changes) {
        const std::size_t before = changes.started.size();
        line_.start(cluster, now, changes.started);
        if (running_.empty()) due_ = now + rules_.tick;
        for (std::size_t i = before; i < changes.started.size(); ++i)
            if (const Start& start = changes.started[i]; start.job.resize != nullptr && start.job.resize->resizable)
                running_.push_back({start.job.id, start.decision.slot, {}});
    }

    std::vector<JobAtTick> view(const Cluster& cluster, Seconds now) const {
        std::vector<JobAtTick> jobs;
        for (const Observed& observed : running_) {
            const RunningJob& running = cluster.running(observed.slot);
            const LegalSizes& sizes = running.job.resize->sizes;
            jobs.push_back({running.job.nodes, sizes.min, priority(running.job),
                            static_cast<double>(std::max<Seconds>(0, running.end - now)), observed.communication(),
                            sizes});
        }
        return jobs;
    }

    void tick(Cluster& cluster, Seconds now, Changes& changes) {
        if (!line_.empty() && rules_.balance) {
            const int deficit = line_.first().nodes - cluster.free().count();
            resize_to(make_room(view(cluster, now), deficit, priority(line_.first()), rules_), cluster, now, changes);
            start_waiting(cluster, now, changes);
        }
        const int idle = line_.empty() ? cluster.free().count() : 0;  // waiting jobs come before growth
        resize_to(sizes_at_tick(view(cluster, now), idle, rules_), cluster, now, changes);
    }

    // `sizes` are those of the first running jobs; those that started since keep theirs.
    void resize_to(const std::vector<int>& sizes, Cluster& cluster, Seconds now, Changes& changes) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const RunningJob& running = cluster.running(running_[i].slot);
            const int from = running.job.nodes;
            if (sizes[i] == from) continue;
            const Seconds left = std::max<Seconds>(0, running.end - now);
            const Seconds stretched = sizes[i] < from ? (left * from + sizes[i] - 1) / sizes[i] : left;
            cluster.resize(running_[i].slot, sizes[i], now, now + stretched);
            changes.resized.push_back({0, running_[i].slot, from, sizes[i]});
            running_[i].mtct.clear();
        }
    }

    const EfficiencyRules rules_;
    WaitingLine line_;
    std::vector<Observed> running_;  ///< those that can be resized
    Seconds due_ = 0;                ///< next tick
};

}  // namespace

std::unique_ptr<Scheduler> efficiency(const EfficiencyRules& rules) { return std::make_unique<Efficiency>(rules); }

}  // namespace drom::policy
