// SPDX-License-Identifier: BSD-3-Clause
// urgent.cpp - one queue, in which urgent jobs stand in front; what they do when they do not fit.
#include "policy/urgent/urgent.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "policy/cluster/availability.hpp"

namespace drom::policy {
namespace {

/// A job with its number, by which it waits again after it was preempted.
struct NumberedJob {
    Job job;
    std::uint64_t number = 0;  ///< in the order of their coming
    bool urgent = false;
    Refusal refusal = Refusal::kNone;
};

/// The start of the first job that does not fit.
struct FirstStart {
    Job job;
    Seconds start = 0;
};

/// A running job that could be preempted.
struct Victim {
    int slot = 0, nodes = 0;
    std::uint64_t number = 0;
};

class Urgent final : public Scheduler {
public:
    Urgent(UrgentBy by, SlowdownRules rules) : by_(by), rules_(std::move(rules)) {}

    void submit(const Job& job) override {
        NumberedJob waiting{job, next_number_++, rules_.sharing.limits.is_urgent(job.qos)};
        // An urgent job makes no room for another.
        if (waiting.urgent) waiting.job.max_slowdown = 1;
        enqueue(waiting);
    }
    bool cancel(JobId id) override {
        return std::erase_if(queue_, [id](const NumberedJob& waiting) { return waiting.job.id == id; }) > 0;
    }
    void ended(JobId id, Seconds /*run*/) override {
        running_.erase(id);
        mates_.erase(id);
    }
    Seconds wake() const override { return kNever; }
    std::size_t waiting() const override { return queue_.size(); }

    void pass(std::span<Cluster> partitions, Seconds now, bool /*ended*/, Changes& changes) override {
        Cluster& cluster = partitions.front();
        // Jobs that were preempted may start on the nodes that are left.
        for (std::size_t before = changes.preempted.size();; before = changes.preempted.size()) {
            look_at_all(cluster, now, changes);
            if (changes.preempted.size() == before) return;
        }
    }

private:
    bool in_front(const NumberedJob& waiting) const { return waiting.urgent && by_ != UrgentBy::kWait; }
    bool may_share() const { return by_ == UrgentBy::kShare || by_ == UrgentBy::kShareFirst; }
    bool may_preempt() const { return by_ == UrgentBy::kPreempt || by_ == UrgentBy::kShareFirst; }

    void enqueue(const NumberedJob& waiting) {
        const auto before = [this](const NumberedJob& a, const NumberedJob& b) {
            return in_front(a) != in_front(b) ? in_front(a) : a.number < b.number;
        };
        const auto at = std::upper_bound(queue_.begin(), queue_.end(), waiting, before);
        queue_.insert(at, waiting);
    }

    void look_at_all(Cluster& cluster, Seconds now, Changes& changes) {
        Availability map(cluster, now, 1);
        std::optional<FirstStart> reserved;
        std::vector<NumberedJob> preempted;
        std::size_t kept = 0, next = 0;
        for (; next < queue_.size(); ++next) {
            NumberedJob& waiting = queue_[next];
            const bool front = in_front(waiting);
            if (reserved && !front && cluster.free().empty()) break;
            const Seconds start_at =
                reserved && !front ? now_or_never(cluster, map, waiting.job, now) : map.earliest(waiting.job, now);
            if (start_at <= now) {
                map.reserve(waiting.job, now, now + waiting.job.request);
                start_alone(cluster, waiting, kept == 0 ? How::kInOrder : How::kBackfilled, now, changes.started);
                continue;
            }
            if (front && make_room(cluster, map, waiting, start_at, now, changes, preempted)) {
                map = Availability(cluster, now, 1);
                if (reserved) map.reserve(reserved->job, reserved->start, reserved->start + reserved->job.request);
                continue;
            }
            if (!reserved && start_at < kNever) {
                reserved = {waiting.job, start_at};
                map.reserve(waiting.job, start_at, start_at + waiting.job.request);
            }
            if (kept != next) queue_[kept] = waiting;
            ++kept;
        }
        const auto begin = queue_.begin();
        queue_.erase(begin + static_cast<std::ptrdiff_t>(kept), begin + static_cast<std::ptrdiff_t>(next));
        for (const NumberedJob& back : preempted) enqueue(back);
    }

    static Seconds now_or_never(const Cluster& cluster, const Availability& map, const Job& job, Seconds now) {
        if (cluster.free().count() < job.nodes) return kNever;
        return map.min_free(job.filter, now, now + job.request) >= job.nodes ? now : kNever;
    }

    // ---- starts ------------------------------------------------------------------------------------------------

    void start_alone(Cluster& cluster, const NumberedJob& waiting, How how, Seconds now, std::vector<Start>& started) {
        Decision decision = decision_of(waiting, how, now);
        decision.slot = cluster.start(waiting.job, cluster.pick(waiting.job), now);
        begin(waiting, std::move(decision), started);
    }

    static Decision decision_of(const NumberedJob& waiting, How how, Seconds now) {
        Decision decision;
        decision.job = waiting.job.id;
        decision.at = now;
        decision.how = how;
        decision.urgent = waiting.urgent;
        decision.refusal = waiting.refusal;
        return decision;
    }

    void begin(const NumberedJob& waiting, Decision decision, std::vector<Start>& started) {
        running_[waiting.job.id] = waiting;
        started.push_back({waiting.job, std::move(decision)});
    }

    /// Starts an urgent job that does not fit, if others can make room. Returns whether it did.
    bool make_room(Cluster& cluster, const Availability& map, NumberedJob& waiting, Seconds start_at, Seconds now,
                   Changes& changes, std::vector<NumberedJob>& preempted) {
        if (may_share() && share(cluster, map, waiting, start_at, now, changes.started)) return true;
        // Where it ends sooner alone after a wait than beside others, no job has to lose its work for that.
        const bool waits = may_share() && waiting.refusal == Refusal::kWaitingIsSooner;
        return may_preempt() && !waits && preempt(cluster, waiting, now, changes, preempted);
    }

    bool share(Cluster& cluster, const Availability& map, NumberedJob& waiting, Seconds static_start, Seconds now,
               std::vector<Start>& started) {
        const double limit = slowdown_limit(cluster, rules_);
        Consideration considered = consider(cluster, map, waiting.job, static_start, limit, rules_, now);
        waiting.refusal = considered.refusal;
        if (considered.refusal != Refusal::kNone) return false;
        Decision decision = decision_of(waiting, How::kShared, now);
        decision.static_start = static_start;
        decision.limit = limit;
        decision.slot = start_shared(cluster, waiting.job, considered.mates, now);
        for (const Mate& mate : considered.mates.mates) mates_.insert(mate.id);
        decision.mate_set = std::move(considered.mates);
        begin(waiting, std::move(decision), started);
        return true;
    }

    // ---- preemption --------------------------------------------------------------------------------------------

    bool preempt(Cluster& cluster, const NumberedJob& waiting, Seconds now, Changes& changes,
                 std::vector<NumberedJob>& preempted) {
        const std::vector<Victim> victims = victims_for(cluster, waiting.job.nodes, now);
        if (victims.empty()) return false;
        for (const Victim& victim : victims) {
            const JobId id = cluster.running(victim.slot).job.id;
            cluster.finish(victim.slot, now);
            changes.preempted.push_back({0, victim.slot, id});
            preempted.push_back(running_.extract(id).mapped());
        }
        start_alone(cluster, waiting, How::kInOrder, now, changes.started);
        return true;
    }

    /// Returns the jobs that came last, as many as the nodes need that are not free, and none too many; empty: there
    /// are not enough.
    std::vector<Victim> victims_for(const Cluster& cluster, int nodes, Seconds now) const {
        std::vector<Victim> all = candidates(cluster, now);
        std::ranges::sort(all, std::ranges::greater(), &Victim::number);
        int missing = nodes - cluster.free().count();
        std::vector<Victim> chosen;
        for (auto next = all.begin(); missing > 0 && next != all.end(); ++next) {
            chosen.push_back(*next);
            missing -= next->nodes;
        }
        if (missing > 0) return {};
        // The first to be spared is the one that came first.
        for (std::size_t i = chosen.size(); i-- > 0;) {
            if (missing + chosen[i].nodes > 0) continue;
            missing += chosen[i].nodes;
            chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return chosen;
    }

    std::vector<Victim> candidates(const Cluster& cluster, Seconds now) const {
        std::vector<Victim> all;
        for (int slot = 0; slot < cluster.slots(); ++slot) {
            const RunningJob& running = cluster.running(slot);
            if (!running.runs || running.start == now || running.guest || running.job.resize != nullptr) continue;
            const auto known = running_.find(running.job.id);
            if (known == running_.end() || known->second.urgent || mates_.contains(running.job.id)) continue;
            all.push_back({slot, running.job.nodes, known->second.number});
        }
        return all;
    }

    const UrgentBy by_;
    const SlowdownRules rules_;
    std::vector<NumberedJob> queue_;
    std::map<JobId, NumberedJob> running_;  ///< as they waited
    std::set<JobId> mates_;                 ///< running jobs that lend cores, or did
    std::uint64_t next_number_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> urgent(UrgentBy by, const SlowdownRules& rules) {
    return std::make_unique<Urgent>(by, rules);
}

}  // namespace drom::policy
