// SPDX-License-Identifier: BSD-3-Clause
// backfill.cpp - passes over the queue with a map of reservations; sharing right after a job's static try fails.
#include <algorithm>

#include "policy/backfill/scheduler.hpp"
#include "policy/cluster/leaving.hpp"
#include "policy/sharing/kept_reservations.hpp"

namespace drom::policy {
namespace {

/// A job of the queue, and what its last search for mates found.
struct QueuedJob {
    Job job;
    Refusal refusal = Refusal::kNone;
    double priority = 0;
    bool started = false;
    // When the last search for mates found none.
    std::uint64_t searched = 0;
    double limit = -1;
    int spare = 0;  ///< free nodes that it could have had besides those of mates
};

/// Starts found in this pass for other jobs: a job that asks for as much or more cannot start earlier, because a map
/// only fills up.
class Hints {
public:
    Seconds from(const Job& job, Seconds now) const {
        Seconds from = now;
        for (const Hint& hint : hints_)
            if (hint.nodes <= job.nodes && hint.request <= job.request && hint.filter == job.filter)
                from = std::max(from, hint.start);
        return from;
    }
    void note(const Job& job, Seconds start) {
        if (hints_.size() < kMax) hints_.emplace_back();
        hints_[next_++ % kMax] = {job.nodes, job.request, start, job.filter};
    }

private:
    static constexpr std::size_t kMax = 16;
    struct Hint {
        int nodes = 0;
        Seconds request = 0, start = 0;
        NodeFilter filter;
    };
    std::vector<Hint> hints_;
    std::size_t next_ = 0;
};

/// Numbers by which a job that would share is measured.
struct SharingConditions {
    Seconds static_start;        ///< predicted, without sharing
    double limit;                ///< of slowdowns
    const ReservedStart* first;  ///< of the pass; null: none yet
};

class Backfill final : public Scheduler {
public:
    Backfill(BackfillRules rules, std::optional<SlowdownRules> sharing)
        : rules_(std::move(rules)), sharing_(std::move(sharing)), bookings_(rules_.bookings) {}

    void submit(const Job& job) override {
        queue_.push_back({job});
        news_ = true;
    }

    bool cancel(JobId id) override {
        const auto found = std::find_if(begin(), queue_.end(), [id](const QueuedJob& w) { return w.job.id == id; });
        if (found == queue_.end()) return false;
        queue_.erase(found);
        news_ = true;
        return true;
    }

    void pass(std::span<Cluster> partitions, Seconds now, bool ended, Changes& changes) override {
        Cluster& cluster = partitions.front();
        news_ = news_ || ended;
        if (!bookings_.empty()) look_at_bookings(cluster, now, changes.resized);
        decide(cluster, now, changes.started);
        bookings_change_ = next_booking(cluster, now);
    }

    Seconds wake() const override { return std::min(due_, bookings_change_); }
    std::size_t waiting() const override { return queue_.size() - first_; }

private:
    std::vector<QueuedJob>::iterator begin() { return queue_.begin() + static_cast<std::ptrdiff_t>(first_); }

    void decide(Cluster& cluster, Seconds now, std::vector<Start>& started) {
        if (news_ && due_ == kNever) due_ = next_pass(now);
        sort(cluster, now);
        if (rules_.main_scheduler && news_) start_in_order(cluster, now, started);
        news_ = false;
        if (waiting() == 0) due_ = kNever;
        if (due_ == kNever || now < due_) return;
        const std::size_t before = started.size();
        look_at_all(cluster, now, started);
        // Its starts are news to Slurm's thread, too: the next jobs may have come within its depth.
        due_ = rules_.interval > 0 && started.size() > before ? next_pass(now + 1) : kNever;
    }

    /// Returns the first pass at or after `now`. Slurm's backfill thread sleeps for the interval and looks whether
    /// anything changed: passes are on a grid.
    Seconds next_pass(Seconds now) const {
        return rules_.interval <= 0 ? now : (now + rules_.interval - 1) / rules_.interval * rules_.interval;
    }

    void sort(const Cluster& cluster, Seconds now) {
        if (rules_.priority.first_come()) return;
        for (auto waiting = begin(); waiting != queue_.end(); ++waiting)
            waiting->priority = rules_.priority.of(waiting->job, cluster.machine().nodes, now);
        std::stable_sort(begin(), queue_.end(), [](const QueuedJob& a, const QueuedJob& b) {
            return a.priority != b.priority ? a.priority > b.priority : a.job.submit < b.job.submit;
        });
    }

    void start_in_order(Cluster& cluster, Seconds now, std::vector<Start>& started) {
        for (; first_ < queue_.size(); ++first_) {
            QueuedJob& waiting = queue_[first_];
            if (waiting.job.nodes > cluster.free().count()) break;
            const NodeSet nodes = pick(cluster, waiting.job, now);
            if (nodes.empty()) break;
            start(cluster, waiting, nodes, How::kInOrder, now, started);
        }
        forget_the_first();
    }

    /// Returns the place in the queue behind the last job that a pass looks at.
    std::size_t end_of_pass() const {
        if (rules_.depth <= 0) return queue_.size();
        return std::min(queue_.size(), first_ + static_cast<std::size_t>(rules_.depth));
    }

    /// Starts a job for which the map has room at once, where it has nodes that suit it. Returns whether it started.
    bool start_at_once(Cluster& cluster, Availability& map, QueuedJob& waiting, const Job& job, How how, Seconds now,
                       std::vector<Start>& started) {
        const NodeSet nodes = pick(cluster, job, now);
        map.reserve(job, now, now + job.request);
        if (!nodes.empty()) start(cluster, waiting, nodes, how, now, started);
        return waiting.started;
    }

    void look_at_all(Cluster& cluster, Seconds now, std::vector<Start>& started) {
        Availability map = map_of(cluster, now);
        Hints hints;
        std::vector<ReservedStart> reserved;
        const double limit = sharing_ ? slowdown_limit(cluster, *sharing_) : 0;
        const std::size_t last = end_of_pass();
        bool in_order = true;
        for (std::size_t i = first_; i < last; ++i) {
            QueuedJob& waiting = queue_[i];
            Job until_limit;
            const Job& job = as_reserved(waiting, until_limit);
            const bool may_reserve =
                rules_.reservations <= 0 || reserved.size() < static_cast<std::size_t>(rules_.reservations);
            if (!may_reserve && !sharing_ && cluster.free().empty()) break;
            const bool may_share = sharing_ && !no_mates_again(sharing_->sharing, cluster, waiting, limit, now);
            const bool only_now = !may_reserve && !may_share;  // a later start is of no use
            const Seconds start_at =
                only_now ? now_or_never(cluster, map, job, now) : map.earliest(job, hints.from(job, now));
            if (start_at <= now) {
                const How how = in_order ? How::kInOrder : How::kBackfilled;
                in_order = start_at_once(cluster, map, waiting, job, how, now, started) && in_order;
                continue;
            }
            if (start_leaving(cluster, map, waiting, in_order, now, started)) {
                map = with_reservations(cluster, reserved, now);
                continue;
            }
            in_order = false;
            if (only_now) continue;
            hints.note(job, start_at);
            const ReservedStart* first = reserved.empty() ? nullptr : &reserved.front();
            if (may_share && share(*sharing_, cluster, map, waiting, {start_at, limit, first}, now, started)) {
                map = with_reservations(cluster, reserved, now);
                continue;
            }
            if (!may_reserve || start_at >= kNever || (rules_.window > 0 && start_at - now > rules_.window)) continue;
            map.reserve(job, start_at, start_at + job.request);  // mutant reserve-later
            reserved.push_back({job, start_at});
        }
        if (sharing_ && sharing_->depth != SlowdownRules::kAsBackfill)
            drop_started(share_beyond(*sharing_, cluster, map, reserved, last, limit, now, started));
        else
            drop_started(last);
    }

    /// Lets malleable jobs without a reservation share. Jobs beyond the depth come within it when as many of those
    /// before them have started. Returns the first job that was not looked at.
    std::size_t share_beyond(const SlowdownRules& rules, Cluster& cluster, Availability& map,
                             const std::vector<ReservedStart>& reserved, std::size_t first, double limit, Seconds now,
                             std::vector<Start>& started) {
        std::vector<Seconds> starts;
        for (const ReservedStart& r : reserved) starts.push_back(r.start);
        std::sort(starts.begin(), starts.end());
        if (starts.empty()) return first;
        const std::size_t last =
            rules.depth == 0 ? queue_.size() : std::min(queue_.size(), first_ + static_cast<std::size_t>(rules.depth));
        for (std::size_t i = first; i < last; ++i) {
            QueuedJob& waiting = queue_[i];
            if (waiting.job.kind != Kind::kMalleable) continue;
            if (no_mates_again(rules.sharing, cluster, waiting, limit, now)) continue;
            const Seconds start_at = starts[std::min(i - first, starts.size() - 1)];
            if (share(rules, cluster, map, waiting, {start_at, limit, &reserved.front()}, now, started))
                map = with_reservations(cluster, reserved, now);
        }
        return std::max(first, last);
    }

    /// Returns the job with the time for which it keeps its nodes; a copy in `until_limit` where that is its limit.
    /// Most passes look at thousands of jobs, and copy none.
    static const Job& as_reserved(const QueuedJob& waiting, Job& until_limit) {
        if (!waiting.job.reserve_limit) return waiting.job;
        until_limit = waiting.job;
        until_limit.request = waiting.job.limit;
        return until_limit;
    }

    static Seconds now_or_never(const Cluster& cluster, const Availability& map, const Job& job, Seconds now) {
        if (cluster.free().count() < job.nodes) return kNever;
        return map.min_free(job.filter, now, now + job.request) >= job.nodes ? now : kNever;
    }

    // ---- booked nodes ----------------------------------------------------------------------------------------------

    Availability map_of(const Cluster& cluster, Seconds now) const {
        if (!booked_) return {cluster, now, rules_.resolution};
        Availability map(cluster, now, rules_.resolution, *booked_);
        if (leaving_) leaving_->keep(map, cluster, now);
        return map;
    }

    NodeSet pick(const Cluster& cluster, const Job& job, Seconds now) const {
        return booked_ ? booked_->pick(cluster, job, now) : cluster.pick(job);
    }

    /// Divides the machine by the bookings that are not over. The fewer parts it has, the better the map is.
    void divide(const Machine& machine) {
        leaving_.reset();
        booked_.reset();
        if (sharing_) sharing_->sharing.booked = nullptr;
        if (bookings_.empty()) return;
        booked_.emplace(machine, bookings_);
        if (sharing_) sharing_->sharing.booked = &*booked_;
        if (rules_.leave_lead < kNever) leaving_.emplace(*booked_, rules_.leave_lead);
    }

    void look_at_bookings(Cluster& cluster, Seconds now, std::vector<Resize>& resized) {
        if (std::erase_if(bookings_, [now](const Booking& b) { return b.to <= now; }) > 0 || !booked_)
            divide(cluster.machine());
        news_ = news_ || now >= bookings_change_;
        if (!leaving_) return;
        for (int slot = 0; slot < cluster.slots(); ++slot) {
            const NodeSet left = leaving_->due(cluster, slot, now);
            if (left.empty()) continue;
            const int from = cluster.running(slot).job.nodes;
            cluster.leave_nodes(slot, left, now);
            resized.push_back({0, slot, from, cluster.running(slot).job.nodes});
        }
    }

    /// Returns when a booking ends that jobs may wait for, or when jobs have to leave nodes.
    Seconds next_booking(const Cluster& cluster, Seconds now) const {
        const Seconds end = booked_ && waiting() > 0 ? booked_->next_end(now) : kNever;
        return leaving_ ? std::min(end, leaving_->next(cluster, now)) : end;
    }

    bool start_leaving(Cluster& cluster, const Availability& map, QueuedJob& waiting, bool in_order, Seconds now,
                       std::vector<Start>& started) const {
        if (!leaving_) return false;
        const NodeSet nodes = leaving_->pick(cluster, map, waiting.job, now);
        if (nodes.empty()) return false;
        start(cluster, waiting, nodes, in_order ? How::kInOrder : How::kBackfilled, now, started);
        return true;
    }

    /// Returns a map of the cluster as it is now, with these reservations at their starts.
    Availability with_reservations(const Cluster& cluster, const std::vector<ReservedStart>& reserved,
                                   Seconds now) const {
        Availability map = map_of(cluster, now);
        for (const ReservedStart& r : reserved) map.reserve(r.job, r.start, r.start + r.job.request);
        return map;
    }

    bool share(const SlowdownRules& rules, Cluster& cluster, const Availability& map, QueuedJob& waiting,
               const SharingConditions& conditions, Seconds now, std::vector<Start>& started) {
        Consideration considered =
            consider(cluster, map, waiting.job, conditions.static_start, conditions.limit, rules, now, mates_);
        waiting.refusal = considered.refusal;
        waiting.searched = cluster.mates_version();
        waiting.limit = conditions.limit;
        waiting.spare = spare_nodes(rules.sharing, cluster, map, waiting.job, now);
        if (considered.refusal != Refusal::kNone) return false;
        const std::optional<Sharing> sharing = sharing_for(cluster, waiting.job, considered.mates, now);
        if (!sharing || delays_kept(rules.keep, cluster, map, conditions, waiting.job, *sharing, now)) return false;
        Decision decision;
        decision.job = waiting.job.id;
        decision.at = now;
        decision.how = How::kShared;
        decision.static_start = conditions.static_start;
        decision.limit = conditions.limit;
        decision.slot = cluster.share(waiting.job, *sharing, now);
        decision.mate_set = std::move(considered.mates);
        started.push_back({waiting.job, std::move(decision)});
        waiting.started = true;
        return true;
    }

    /// Returns whether the guest would delay a reservation that is to be kept.
    bool delays_kept(SlowdownRules::Keep keep, const Cluster& cluster, const Availability& map,
                     const SharingConditions& conditions, const Job& guest, const Sharing& sharing, Seconds now) const {
        if (conditions.first == nullptr || keep == SlowdownRules::Keep::kNone) return false;
        const std::vector<Postponed> later = cluster.postponed_if_sharing(guest, sharing, now);
        if (booked_) {
            const bool all = keep == SlowdownRules::Keep::kAll;
            const Availability kept = all ? map : with_reservations(cluster, {*conditions.first}, now);
            return delays_any(kept, *booked_, later);
        }
        if (delays(cluster, *conditions.first, later, now)) return true;
        return keep == SlowdownRules::Keep::kAll && delays_any(map, later);
    }

    /// Returns how the guest comes in; nothing where it, or a job beside it, could then be on nodes that are booked
    /// before its limit ends.
    std::optional<Sharing> sharing_for(const Cluster& cluster, const Job& guest, const MateSet& chosen,
                                       Seconds now) const {
        Job on_free = guest;
        on_free.nodes = chosen.free_nodes;
        on_free.request = seconds_for(std::max(guest.request, guest.limit) * cluster.machine().cores_per_node,
                                      std::max(1, chosen.cores));
        on_free.limit = 0;
        NodeSet free = chosen.free_nodes > 0 ? pick(cluster, on_free, now) : NodeSet();
        if (free.count() < chosen.free_nodes) return std::nullopt;
        Sharing sharing = sharing_of(chosen, std::move(free));
        if (!booked_) return sharing;
        for (const Stay& stay : cluster.stays_if_sharing(guest, sharing, now))
            if (!booked_->lets_stay(stay.nodes, now, stay.until)) return std::nullopt;
        return sharing;
    }

    /// Returns the free nodes that could have completed those of mates, for a guest of any length.
    static int spare_nodes(const SharingRules& rules, const Cluster& cluster, const Availability& map, const Job& job,
                           Seconds now) {
        if (!rules.add_free_nodes) return 0;
        const std::int64_t work = job.request * cluster.machine().cores_per_node;
        return map.min_free(job.filter, now, now + seconds_for(work, std::max(1, job.min_cores)));
    }

    // Most jobs that found no mates find none in the next pass either: only a job that came since could help.
    static bool no_mates_again(const SharingRules& rules, const Cluster& cluster, QueuedJob& waiting, double limit,
                               Seconds now) {
        if (waiting.refusal != Refusal::kNoMates || limit > waiting.limit || rules.jobs_per_node > 2) return false;
        if (rules.add_free_nodes && cluster.free().count() > waiting.spare) return false;
        if (rules.parts) return waiting.searched == cluster.mates_version();
        if (has_new_mates(cluster, waiting.job, waiting.searched, limit, rules, now)) return false;
        waiting.searched = cluster.mates_version();
        return true;
    }

    static void start(Cluster& cluster, QueuedJob& waiting, const NodeSet& nodes, How how, Seconds now,
                      std::vector<Start>& started) {
        Decision decision;
        decision.job = waiting.job.id;
        decision.at = now;
        decision.how = how;
        decision.refusal = waiting.refusal;
        decision.slot = cluster.start(waiting.job, nodes, now);
        started.push_back({waiting.job, std::move(decision)});
        waiting.started = true;
    }

    // Those before `last` that still wait close ranks towards it: the queue behind them, which may be long, does not
    // move.
    void drop_started(std::size_t last) {
        std::size_t to = last;
        for (std::size_t from = last; from-- > first_;) {
            if (queue_[from].started) continue;
            if (--to != from) queue_[to] = queue_[from];
        }
        first_ = to;
        forget_the_first();
    }

    void forget_the_first() {
        if (first_ < 1024 || first_ < queue_.size() / 2) return;
        queue_.erase(queue_.begin(), begin());
        first_ = 0;
    }

    const BackfillRules rules_;
    std::optional<SlowdownRules> sharing_;  ///< knows the booked nodes
    RememberedMates mates_;
    std::vector<QueuedJob> queue_;
    std::size_t first_ = 0;  ///< those before it have started
    Seconds due_ = kNever;   ///< the next pass; kNever while nothing has happened since the last
    bool news_ = false;
    std::vector<Booking> bookings_;      ///< that are not over
    std::optional<BookedNodes> booked_;  ///< nothing where there is none, and before the first pass
    std::optional<Leaving> leaving_;     ///< nothing where no job leaves booked nodes
    Seconds bookings_change_ = kNever;   ///< next_booking()
};

}  // namespace

BackfillRules BackfillRules::easy() {
    BackfillRules rules;
    rules.depth = 0;
    rules.interval = 0;
    rules.window = 0;
    rules.resolution = 1;
    rules.reservations = 1;
    rules.main_scheduler = false;
    return rules;
}

std::unique_ptr<Scheduler> backfill(BackfillRules rules, std::optional<SlowdownRules> sharing) {
    return std::make_unique<Backfill>(std::move(rules), std::move(sharing));
}

}  // namespace drom::policy
