// SPDX-License-Identifier: BSD-3-Clause
// easy.cpp - EASY backfill whose cost does not grow with the queue: waiting jobs are leaves of a tree of minima.
#include <algorithm>

#include "policy/backfill/scheduler.hpp"

namespace drom::policy {
namespace {

/// The condition for a job that is not the first: it fits now, and either it leaves enough for the first job when that
/// starts, or it has ended by then.
struct Gap {
    int free = 0;        ///< nodes now
    int extra = 0;       ///< nodes that the first job leaves unused at its reserved start
    Seconds shadow = 0;  ///< that start, from now

    bool fits(int nodes, Seconds request) const noexcept {
        return nodes <= free && (nodes <= extra || request <= shadow);
    }
};

/// Waiting jobs in the order of their coming; each inner node of the tree has the fewest nodes and the shortest request
/// below it.
class WaitingJobs {
public:
    static constexpr std::size_t kNone = ~std::size_t{0};

    void push(const Job& job) {
        if (jobs_.size() == leaves_) make_room();
        jobs_.push_back(job);
        set(jobs_.size() - 1, {job.nodes, job.request});
        ++alive_;
    }

    void remove(std::size_t place) {
        set(place, {});
        --alive_;
    }

    const Job& operator[](std::size_t place) const { return jobs_[place]; }
    std::size_t size() const { return alive_; }
    std::size_t end() const { return jobs_.size(); }

    /// Returns the first job at or after `from` that fits into the gap; kNone when none does.
    std::size_t next(std::size_t from, const Gap& gap) const {
        return leaves_ == 0 ? kNone : search(1, 0, leaves_, from, gap);
    }
    std::size_t first() const { return next(0, {kMany, kMany, kNever}); }
    std::size_t find(JobId id) const {
        for (std::size_t i = 0; i < jobs_.size(); ++i)
            if (jobs_[i].id == id && tree_[leaves_ + i].nodes != kMany) return i;
        return kNone;
    }

private:
    static constexpr int kMany = std::numeric_limits<int>::max();
    struct Min {
        int nodes = kMany;
        Seconds request = kNever;
    };

    void set(std::size_t place, Min min) {
        std::size_t i = leaves_ + place;
        for (tree_[i] = min; i > 1;) {
            i /= 2;
            const Min &a = tree_[2 * i], &b = tree_[2 * i + 1];
            tree_[i] = {std::min(a.nodes, b.nodes), std::min(a.request, b.request)};
        }
    }

    // A node's minima may come from two jobs, neither of which fits: then the search below it finds nothing and goes on
    // beside it.
    std::size_t search(std::size_t node, std::size_t begin, std::size_t count, std::size_t from, const Gap& gap) const {
        const Min& min = tree_[node];
        if (begin + count <= from || min.nodes == kMany || !gap.fits(min.nodes, min.request)) return kNone;
        if (count == 1) return begin;
        const std::size_t found = search(2 * node, begin, count / 2, from, gap);
        return found != kNone ? found : search(2 * node + 1, begin + count / 2, count / 2, from, gap);
    }

    // Forgets the places of jobs that are gone; grows when they are not enough.
    void make_room() {
        std::vector<Job> waiting;
        for (std::size_t i = 0; i < jobs_.size(); ++i)
            if (tree_[leaves_ + i].nodes != kMany) waiting.push_back(jobs_[i]);
        leaves_ = std::max<std::size_t>(leaves_, 64);
        while (leaves_ < 2 * waiting.size()) leaves_ *= 2;
        tree_.assign(2 * leaves_, {});
        jobs_ = std::move(waiting);
        for (std::size_t i = 0; i < jobs_.size(); ++i) tree_[leaves_ + i] = {jobs_[i].nodes, jobs_[i].request};
        for (std::size_t i = leaves_; --i > 0;)
            tree_[i] = {std::min(tree_[2 * i].nodes, tree_[2 * i + 1].nodes),
                        std::min(tree_[2 * i].request, tree_[2 * i + 1].request)};
    }

    std::vector<Job> jobs_;
    std::vector<Min> tree_;
    std::size_t leaves_ = 0, alive_ = 0;
};

class Easy final : public Scheduler {
public:
    void submit(const Job& job) override { fresh_.push_back(job); }

    bool cancel(JobId id) override {
        if (std::erase_if(fresh_, [id](const Job& job) { return job.id == id; }) > 0) return true;
        const std::size_t place = waiting_.find(id);
        if (place == WaitingJobs::kNone) return false;
        waiting_.remove(place);
        again_ = true;  // it may have been the first: its reservation is gone
        return true;
    }

    void pass(std::span<Cluster> partitions, Seconds now, bool ended, Changes& changes) override {
        Cluster& cluster = partitions.front();
        std::vector<Start>& started = changes.started;
        const bool overdue = !cluster.releases().empty() && cluster.releases().front().at <= now;
        const bool from_first = ended || again_ || overdue;
        again_ = false;
        if (from_first) start_in_order(cluster, now, started);
        // Nothing became free: only the new ones can start, the others were refused at least as much room.
        const std::size_t from = from_first ? 0 : kNew;
        add_fresh(cluster, now, started, from);
    }

    Seconds wake() const override { return kNever; }
    std::size_t waiting() const override { return waiting_.size() + fresh_.size(); }

private:
    static constexpr std::size_t kNew = ~std::size_t{0};

    void add_fresh(Cluster& cluster, Seconds now, std::vector<Start>& started, std::size_t from) {
        if (waiting_.size() == 0) {
            // No job waits: they start in order until one does not fit.
            auto next = fresh_.begin();
            for (; next != fresh_.end() && next->nodes <= cluster.free().count(); ++next)
                start(cluster, *next, How::kInOrder, now, started);
            fresh_.erase(fresh_.begin(), next);
        }
        // make_room() may move all jobs: positions are counted from the end.
        const std::size_t count = fresh_.size();
        for (const Job& job : fresh_) waiting_.push(job);
        fresh_.clear();
        fill(cluster, now, from == kNew ? waiting_.end() - count : 0, started);
    }

    void start_in_order(Cluster& cluster, Seconds now, std::vector<Start>& started) {
        for (std::size_t first; (first = waiting_.first()) != WaitingJobs::kNone;) {
            if (waiting_[first].nodes > cluster.free().count()) return;
            start(cluster, waiting_[first], How::kInOrder, now, started);
            waiting_.remove(first);
        }
    }

    void fill(Cluster& cluster, Seconds now, std::size_t from, std::vector<Start>& started) {
        const std::size_t first = waiting_.first();
        if (first == WaitingJobs::kNone || cluster.free().empty()) return;
        Gap gap = gap_before(waiting_[first], cluster, now);
        for (std::size_t i = std::max(from, first + 1); (i = waiting_.next(i, gap)) != WaitingJobs::kNone; ++i) {
            const Job& job = waiting_[i];
            gap.free -= job.nodes;
            if (job.request > gap.shadow) gap.extra -= job.nodes;
            start(cluster, job, How::kBackfilled, now, started);
            waiting_.remove(i);
        }
    }

    static Gap gap_before(const Job& first, const Cluster& cluster, Seconds now) {
        int nodes = cluster.free().count();
        Seconds at = now;
        const std::vector<Release>& releases = cluster.releases();
        for (std::size_t i = 0; i < releases.size();) {
            if (nodes >= first.nodes) break;
            at = std::max(releases[i].at, now + 1);
            for (; i < releases.size() && std::max(releases[i].at, now + 1) == at; ++i) nodes += releases[i].nodes;
        }
        if (nodes < first.nodes)
            return {cluster.free().count(), cluster.machine().nodes,
                    kNever};  // it can never start: no job waits for it
        return {cluster.free().count(), nodes - first.nodes, at - now};
    }

    static void start(Cluster& cluster, const Job& job, How how, Seconds now, std::vector<Start>& started) {
        Decision decision;
        decision.job = job.id;
        decision.at = now;
        decision.how = how;
        decision.slot = cluster.start(job, cluster.pick(job), now);
        started.push_back({job, decision});
    }

    WaitingJobs waiting_;
    std::vector<Job> fresh_;  ///< submitted since the last pass
    bool again_ = false;
};

}  // namespace

std::unique_ptr<Scheduler> easy() { return std::make_unique<Easy>(); }

}  // namespace drom::policy
