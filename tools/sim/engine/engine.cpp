// SPDX-License-Identifier: BSD-3-Clause
// engine.cpp - events in virtual time.
#include "engine/engine.hpp"

#include <algorithm>
#include <chrono>
#include <queue>
#include <random>

namespace drom::sim {
namespace {

using policy::Cluster;
using policy::kNever;

/// The work that a running job really has left, which only the engine knows.
struct Work {
    std::size_t job = 0;    ///< index into the outcome
    std::int64_t left = 0;  ///< units, as of `since`
    Seconds since = 0;
    policy::Rate rate;
    std::uint64_t version = 0;  ///< of its end event: older ones are void
};

struct End {
    Seconds at = 0;
    std::int64_t id = 0;
    int slot = 0;
    std::uint64_t version = 0;
    bool at_limit = false;
};

struct LaterEnd {
    bool operator()(const End& a, const End& b) const { return a.at != b.at ? a.at > b.at : a.id > b.id; }
};

class Engine {
public:
    Engine(const Workload& workload, policy::Scheduler& scheduler, const EngineRules& rules)
        : workload_(workload), scheduler_(scheduler), rules_(rules), cluster_(rules.machine) {
        admit();
    }

    Outcome run() {
        const auto begin = std::chrono::steady_clock::now();
        while (!stopped()) {
            const Seconds now = next_time();
            if (now == kNever) break;
            const bool ended = end_jobs(now);
            submit_jobs(now);
            decide(now, ended);
        }
        out_.interrupted = stopped();
        close_stretches();
        out_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return std::move(out_);
    }

private:
    bool stopped() const { return rules_.stop != nullptr && rules_.stop->load(std::memory_order_relaxed); }

    // Malleability is drawn for every job of the log, also for those left out: one job more or less changes no other
    // job's luck.
    void admit() {
        std::mt19937_64 random(rules_.seed);
        const int cores = rules_.machine.cores_per_node;
        for (const LogJob& job : workload_.jobs) {
            const bool malleable = static_cast<double>(random() >> 11) * 0x1.0p-53 < rules_.malleable_share;
            const std::int64_t nodes = (job.processors + cores - 1) / cores;
            if (nodes > rules_.machine.nodes) {
                ++out_.too_wide;
                continue;
            }
            JobOutcome outcome;
            outcome.id = job.id;
            outcome.submit = job.submit;
            outcome.run = job.run;
            outcome.request = job.request;
            outcome.nodes = static_cast<int>(nodes);
            outcome.user = job.user;
            outcome.malleable = malleable;
            out_.jobs.push_back(outcome);
            // Logs number them from 1, lists of names from 0.
            partitions_.push_back(workload_.partitions.empty() ? job.partition - 1 : job.partition);
        }
    }

    Seconds next_time() {
        while (!ends_.empty() && stale(ends_.top())) ends_.pop();
        Seconds next = scheduler_.wake();
        if (!ends_.empty()) next = std::min(next, ends_.top().at);
        if (submitted_ < out_.jobs.size()) next = std::min(next, out_.jobs[submitted_].submit);
        return next;
    }

    bool stale(const End& end) const { return work_[static_cast<std::size_t>(end.slot)].version != end.version; }

    bool end_jobs(Seconds now) {
        bool any = false;
        for (; !ends_.empty() && ends_.top().at <= now; ends_.pop()) {
            const End end = ends_.top();
            if (stale(end)) continue;
            finish(end, now);
            any = true;
        }
        return any;
    }

    void finish(const End& end, Seconds now) {
        ++out_.events;
        Work& work = work_[static_cast<std::size_t>(end.slot)];
        JobOutcome& job = out_.jobs[work.job];
        job.end = now;
        job.killed = end.at_limit;
        job.limit_end = cluster_.running(end.slot).end;
        ++work.version;
        stop_drawing(end.slot, now);
        cluster_.finish(end.slot, now);
        adjust(now);
        ++ended_;
        if (rules_.progress && ended_ % 4096 == 0) rules_.progress(ended_);
    }

    void submit_jobs(Seconds now) {
        for (; submitted_ < out_.jobs.size() && out_.jobs[submitted_].submit <= now; ++submitted_) {
            ++out_.events;
            const JobOutcome& outcome = out_.jobs[submitted_];
            policy::Job job;
            job.id = static_cast<policy::JobId>(
                submitted_);  // ids of logs need not be unique, and ties go by the order of the log
            job.submit = outcome.submit;
            job.request = outcome.request;
            job.nodes = outcome.nodes;
            job.min_cores = rules_.ranks_per_node;
            job.kind = outcome.malleable ? policy::Kind::kMalleable : policy::Kind::kRigid;
            job.partition = std::max(-1, partitions_[submitted_]);
            scheduler_.submit(job);
        }
    }

    void decide(Seconds now, bool ended) {
        ++out_.passes;
        const std::size_t shared_before = starts_.size();
        scheduler_.pass(cluster_, now, ended, starts_);
        for (std::size_t i = shared_before; i < starts_.size(); ++i) begin(starts_[i], now);
        starts_.clear();
    }

    // A pass may start several jobs, each changing the cores of those before: all are brought up to date at the end, at
    // the same second.
    void begin(const policy::Start& start, Seconds now) {
        const policy::Decision& decision = start.decision;
        if (static_cast<std::size_t>(decision.slot) >= work_.size())
            work_.resize(static_cast<std::size_t>(decision.slot) + 1);
        const auto number = static_cast<std::size_t>(start.job.id);
        JobOutcome& job = out_.jobs[number];
        job.start = now;
        job.how = decision.how;
        job.refusal = decision.refusal;
        Work& work = work_[static_cast<std::size_t>(decision.slot)];
        work.job = number;
        work.since = now;
        work.rate = rules_.execution.rate(cluster_.cores_of(decision.slot), rules_.machine.cores_per_node);
        work.left = job.run * work.rate.per;
        if (job.shared()) note_mates(job, decision, now);
        set_end(decision.slot, now);
        draw(decision.slot, now);
    }

    void note_mates(JobOutcome& job, const policy::Decision& decision, Seconds now) {
        job.lent_cores = decision.mate_set.cores;
        job.index = decision.mate_set.index;
        job.limit = decision.limit;
        job.static_start = decision.static_start;
        for (const policy::Mate& mate : decision.mate_set.mates) {
            JobOutcome& host = out_.jobs[static_cast<std::size_t>(mate.id)];
            job.mates.push_back(host.id);
            host.hosted = true;
            ++host.guests;
        }
        for (const int piece : cluster_.running(decision.slot).pieces)
            for (const policy::Occupant& o : cluster_.piece(piece).occupants)
                if (o.job != decision.slot && has_begun(o.job)) change(o.job, now);
    }

    // False for a job that the same pass started and whose turn is still to come.
    bool has_begun(int slot) const {
        const auto number = static_cast<std::size_t>(slot);
        return number < work_.size() && work_[number].job == static_cast<std::size_t>(cluster_.running(slot).job.id);
    }

    void adjust(Seconds now) {
        for (const int slot : cluster_.changed()) change(slot, now);
    }

    void change(int slot, Seconds now) {
        Work& work = work_[static_cast<std::size_t>(slot)];
        work.left = std::max<std::int64_t>(0, work.left - work.rate.done * (now - work.since));
        work.since = now;
        work.rate = rules_.execution.rate(cluster_.cores_of(slot), rules_.machine.cores_per_node);
        stop_drawing(slot, now);
        set_end(slot, now);
        draw(slot, now);
    }

    void set_end(int slot, Seconds now) {
        Work& work = work_[static_cast<std::size_t>(slot)];
        Seconds at = now + policy::seconds_for(work.left, work.rate.done);
        const Seconds limit = std::max(cluster_.running(slot).end, now);
        const bool at_limit = rules_.kill_at_limit && limit < at;
        if (at_limit) at = limit;
        ends_.push({at, static_cast<std::int64_t>(work.job), slot, ++work.version, at_limit});
    }

    // ---- the window that is drawn ------------------------------------------------------------------------------

    void draw(int slot, Seconds now) {
        if (rules_.window_from >= rules_.window_to || now >= rules_.window_to) return;
        const auto& running = cluster_.running(slot);
        for (const int number : running.pieces) {
            const policy::SharedNodes& piece = cluster_.piece(number);
            for (const policy::Occupant& o : piece.occupants)
                if (o.job == slot)
                    open_.push_back(
                        {slot, {work_[static_cast<std::size_t>(slot)].job, piece.nodes, o.cores, now, now}});
        }
    }

    void stop_drawing(int slot, Seconds now) {
        std::erase_if(open_, [&](Open& open) {
            if (open.slot != slot) return false;
            open.stretch.to = now;
            if (open.stretch.to > open.stretch.from && open.stretch.to > rules_.window_from)
                out_.stretches.push_back(std::move(open.stretch));
            return true;
        });
    }

    void close_stretches() {
        for (Open& open : open_) {
            open.stretch.to = rules_.window_to;
            out_.stretches.push_back(std::move(open.stretch));
        }
    }

    struct Open {
        int slot;
        Stretch stretch;
    };

    const Workload& workload_;
    policy::Scheduler& scheduler_;
    const EngineRules& rules_;
    Cluster cluster_;
    Outcome out_;
    std::vector<int> partitions_;
    std::vector<Work> work_;
    std::priority_queue<End, std::vector<End>, LaterEnd> ends_;
    std::vector<policy::Start> starts_;
    std::vector<Open> open_;
    std::size_t submitted_ = 0, ended_ = 0;
};

}  // namespace

Outcome simulate(const Workload& workload, policy::Scheduler& scheduler, const EngineRules& rules) {
    return Engine(workload, scheduler, rules).run();
}

}  // namespace drom::sim
