// SPDX-License-Identifier: BSD-3-Clause
// shortest_first.cpp - a policy of one's own: of the jobs that fit, the one that asked for the least time starts first.
#include "shortest_first.hpp"

using namespace drom::policy;

namespace {

class ShortestFirst final : public Scheduler {
public:
    explicit ShortestFirst(const ShortestFirstRules& rules) : rules_(rules) {}
    void submit(const Job& job) override { queue_.push_back(job); }
    bool cancel(JobId id) override {
        return std::erase_if(queue_, [id](const Job& job) { return job.id == id; }) > 0;
    }
    Seconds wake() const override { return kNever; }
    std::size_t waiting() const override { return queue_.size(); }

    void pass(std::span<Cluster> partitions, Seconds now, bool, Changes& changes) override {
        const auto overdue = [&](const Job& job) { return now - job.submit > rules_.patience; };
        const auto order = [&](const Job& job) { return overdue(job) ? 0 : job.request; };
        std::ranges::stable_sort(queue_, {}, order);
        for (std::size_t i = 0; i < queue_.size();) {
            const NodeSet nodes = partitions.front().pick(queue_[i]);
            if (nodes.empty() && overdue(queue_[i])) return;  // all wait until it fits
            if (nodes.empty()) {
                ++i;
                continue;
            }
            Start start{queue_[i], {}};
            start.decision.job = start.job.id;
            start.decision.at = now;
            start.decision.slot = partitions.front().start(start.job, nodes, now);
            changes.started.push_back(start);
            queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

private:
    const ShortestFirstRules rules_;
    std::vector<Job> queue_;
};

constexpr Option<ShortestFirstRules> kOptions[] = {
    {"patience", "SECONDS", "a job that has waited longer is the first, and all others wait for it",
     [](ShortestFirstRules& r, std::string_view v) { return read_whole(r.patience, v, 0); },
     [](const ShortestFirstRules& r) { return std::to_string(r.patience); }},
};

}  // namespace

PolicyRow shortest_first_row() {
    return policy_row<ShortestFirstRules>(
        {"shortest-first", "of the jobs that fit, the one that asked for the least time starts first", "an example"},
        {kOptions}, {},
        [](const auto& rules) -> std::unique_ptr<Scheduler> { return std::make_unique<ShortestFirst>(rules); });
}
