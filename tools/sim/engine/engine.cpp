// SPDX-License-Identifier: BSD-3-Clause
// engine.cpp - events in virtual time.
#include "engine/engine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <queue>
#include <random>
#include <unordered_map>

#include "engine/iterations.hpp"
#include "policy/energy/entries.hpp"

namespace drom::sim {
namespace {

using policy::Cluster;
using policy::kNever;

/// A running job: its partition, and its slot in the cluster there.
struct Slot {
    int partition = 0, number = 0;
    friend bool operator==(const Slot&, const Slot&) = default;
};

/// The work that a running job really has left, which only the engine knows.
struct Work {
    std::size_t job = 0;    ///< index into the outcome
    std::int64_t left = 0;  ///< units, as of `since`
    Seconds since = 0;
    policy::Rate rate;
    double nodes = 0;           ///< that it has, in shares of their cores
    std::uint64_t version = 0;  ///< of its end event: older ones are void
    bool iterates = false;      ///< its progress is that of a program; the above says nothing
};

struct End {
    Seconds at = 0;
    std::int64_t id = 0;
    Slot slot;
    std::uint64_t version = 0;
    bool at_limit = false;
    bool at_point = false;  ///< no end, but a resize point
};

/// A shrink that a program carries out.
struct Shrink {
    Seconds at = 0;
    std::int64_t id = 0;
    Slot slot;
};

struct Later {
    template <class Event>
    bool operator()(const Event& a, const Event& b) const {
        return a.at != b.at ? a.at > b.at : a.id > b.id;
    }
};

class Engine {
public:
    Engine(const Workload& workload, policy::Scheduler& scheduler, const EngineRules& rules)
        : workload_(workload), scheduler_(scheduler), rules_(rules), work_(rules.partitions.size()) {
        for (const policy::Machine& machine : rules.partitions) clusters_.emplace_back(machine);
        number_applications();
        admit();
        if (rules.keep_nodes) out_.nodes.resize(out_.jobs.size());
    }

    Outcome run() {
        const auto begin = std::chrono::steady_clock::now();
        Seconds last = 0;
        while (!stopped()) {
            const Seconds now = next_time();
            if (now == kNever) break;
            last = now;
            const bool ended = end_jobs(now);
            end_shrinks(now);
            submit_jobs(now);
            decide(now, ended);
        }
        out_.interrupted = stopped();
        for (const Cluster& cluster : clusters_) out_.outlived += cluster.outlived();
        for (const auto& running : iterating_) note_nodes(running.first, last);
        close_stretches();
        out_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return std::move(out_);
    }

private:
    /// A running program; its nodes are noted until `since`.
    struct Iterating {
        IterativeRun run;
        Seconds since;
    };

    bool stopped() const { return rules_.stop != nullptr && rules_.stop->load(std::memory_order_relaxed); }

    void number_applications() {
        if (rules_.energy == nullptr) return;
        const auto& known = rules_.energy->applications;
        for (std::size_t i = 0; i < known.size(); ++i) applications_[known[i].number] = static_cast<int>(i);
    }

    /// Returns the application of a job as the energy model numbers it; -1: none that it knows. Without a model it is
    /// the log's number.
    int known_application(const JobOutcome& job) const {
        if (rules_.energy == nullptr) return job.application;
        const auto at = applications_.find(job.application);
        return at == applications_.end() ? -1 : at->second;
    }

    static bool drawn(std::mt19937_64& random, double share) {
        return static_cast<double>(random() >> 11) * 0x1.0p-53 < share;
    }

    // Kinds are drawn for every job of the log, also for those left out: one job more or less changes no other job's
    // luck, and a share of moldable jobs does not change which others are malleable.
    void admit() {
        constexpr std::uint64_t kOtherStream = 0x6d6f6c64;
        std::mt19937_64 random(rules_.seed), of_moldable(rules_.seed ^ kOtherStream);
        const int cores = rules_.partitions.front().cores_per_node;
        const int max_nodes = std::ranges::max(rules_.partitions, {}, &policy::Machine::nodes).nodes;
        for (const LogJob& job : workload_.jobs) {
            const bool malleable = drawn(random, rules_.malleable_share);
            const bool moldable = drawn(of_moldable, rules_.moldable_share);
            const std::int64_t nodes = (job.processors + cores - 1) / cores;
            if (nodes > max_nodes) {
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
            outcome.application = job.application;
            outcome.program = job.program;
            if (job.program >= 0) outcome.rank = program(outcome).traits.rank;
            // Sharing, and the choice of a size at the start, are for jobs whose work is a run time.
            outcome.moldable = moldable && job.program < 0;
            outcome.malleable = malleable && !moldable && job.program < 0;
            out_.jobs.push_back(outcome);
            // Logs number them from 1, lists of names from 0.
            partitions_.push_back(workload_.partitions.empty() ? job.partition - 1 : job.partition);
            qos_.push_back(job.queue);
        }
    }

    Seconds next_time() {
        while (!ends_.empty() && stale(ends_.top())) ends_.pop();
        Seconds next = scheduler_.wake();
        if (!ends_.empty()) next = std::min(next, ends_.top().at);
        if (!shrinks_.empty()) next = std::min(next, shrinks_.top().at);
        if (submitted_ < out_.jobs.size()) next = std::min(next, out_.jobs[submitted_].submit);
        return next;
    }

    bool stale(const End& end) const { return work(end.slot).version != end.version; }

    Cluster& cluster(const Slot& slot) { return clusters_[static_cast<std::size_t>(slot.partition)]; }
    Work& work(const Slot& slot) {
        return work_[static_cast<std::size_t>(slot.partition)][static_cast<std::size_t>(slot.number)];
    }
    const Work& work(const Slot& slot) const {
        return work_[static_cast<std::size_t>(slot.partition)][static_cast<std::size_t>(slot.number)];
    }

    Seconds limit_end(const Slot& slot) { return cluster(slot).running(slot.number).limit_end; }

    /// Takes over how fast the job runs from now on, and on how much of the machine.
    void set_speed(const Slot& slot) {
        const int cores = cluster(slot).machine().cores_per_node;
        const std::vector<policy::Piece> pieces = cluster(slot).cores_of(slot.number);
        Work& running = work(slot);
        running.rate = rules_.execution.rate(pieces, cores);
        running.nodes = 0;
        for (const policy::Piece& piece : pieces)
            running.nodes += piece.nodes * static_cast<double>(piece.cores) / cores;
    }

    void count_nodes(const Work& running, Seconds now) {
        out_.jobs[running.job].node_seconds += running.nodes * static_cast<double>(now - running.since);
    }

    bool end_jobs(Seconds now) {
        bool any = false;
        for (; !ends_.empty() && ends_.top().at <= now; ends_.pop()) {
            const End end = ends_.top();
            if (stale(end)) continue;
            if (end.at_point) {
                iterate(end.slot);
                continue;
            }
            if (end.at_limit && limit_end(end.slot) > now) {  // a prediction was outrun, and the limit moved with it
                change(end.slot, now);
                continue;
            }
            finish(end, now);
            any = true;
        }
        return any;
    }

    void finish(const End& end, Seconds now) {
        ++out_.events;
        Work& ended = work(end.slot);
        count_nodes(ended, now);
        JobOutcome& job = out_.jobs[ended.job];
        job.end = now;
        job.killed = end.at_limit;
        job.limit_end = limit_end(end.slot);
        if (ended.iterates) leave(ended.job, now);
        ++ended.version;
        stop_drawing(end.slot, now);
        cluster(end.slot).finish(end.slot.number, now);
        adjust(end.slot.partition, now);
        scheduler_.ended(static_cast<policy::JobId>(ended.job), job.killed ? std::min(job.run, job.request) : job.run);
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
            job.kind = kind_of(outcome);
            job.partition = std::max(-1, partitions_[submitted_]);
            job.qos = std::max(-1, qos_[submitted_]);
            job.application = known_application(outcome);
            out_.unknown += rules_.energy != nullptr && job.application < 0;
            job.user = outcome.user;
            if (outcome.program >= 0) job.resize = &program(outcome).traits;
            scheduler_.submit(job);
        }
    }

    static policy::Kind kind_of(const JobOutcome& job) {
        if (job.moldable) return policy::Kind::kMoldable;
        return job.malleable ? policy::Kind::kMalleable : policy::Kind::kRigid;
    }

    void decide(Seconds now, bool ended) {
        ++out_.passes;
        scheduler_.pass(clusters_, now, ended, changes_);
        for (const policy::Preemption& preemption : changes_.preempted) preempt(preemption, now);
        for (const policy::Start& start : changes_.started) begin(start, now);
        for (const policy::Resize& resize : changes_.resized) carry_out(resize, now);
        leave_points(now);
        changes_.clear();
    }

    /// Returns the job to those that wait. All that it has done is lost.
    void preempt(const policy::Preemption& preemption, Seconds now) {
        ++out_.events;
        const Slot slot{preemption.partition, preemption.slot};
        Work& lost = work(slot);
        count_nodes(lost, now);
        ++lost.version;
        stop_drawing(slot, now);
        JobOutcome& job = out_.jobs[lost.job];
        NodeHistory& history = job.history.edit();
        history.held.push_back({job.size(), job.start, now});
        history.lost_node_seconds = job.node_seconds;
        ++history.preempted;
        job.start = -1;
        job.molded = 0;
    }

    // A pass may start several jobs, each changing the cores of those before: all are brought up to date at the end, at
    // the same second.
    void begin(const policy::Start& start, Seconds now) {
        const policy::Decision& decision = start.decision;
        const Slot slot{decision.point.partition, decision.slot};
        std::vector<Work>& there = work_[static_cast<std::size_t>(slot.partition)];
        if (static_cast<std::size_t>(slot.number) >= there.size())
            there.resize(static_cast<std::size_t>(slot.number) + 1);
        const auto number = static_cast<std::size_t>(start.job.id);
        JobOutcome& job = out_.jobs[number];
        job.start = now;
        job.how = decision.how;
        job.urgent = decision.urgent;
        if (job.program < 0 && start.job.nodes != job.nodes) job.molded = start.job.nodes;
        job.point = point_of(decision.point, start.job);
        job.refusal = decision.refusal;
        if (rules_.keep_nodes) out_.nodes[number] = cluster(slot).nodes_of(slot.number);
        Work& begun = work(slot);
        begun.job = number;
        begun.since = now;
        set_speed(slot);
        begun.left = time_at(decision.point, job.run) * begun.rate.per;
        begun.iterates = job.program >= 0;
        if (begun.iterates) enter(slot, number, now);
        if (job.shared()) note_mates(job, decision, now);
        set_end(slot, now);
        draw(slot, now);
    }

    /// Adds to the point of a policy that knows no energy what a job takes at the nominal frequency.
    policy::OperatingPoint point_of(const policy::OperatingPoint& chosen, const policy::Job& job) const {
        if (rules_.energy == nullptr || chosen.ghz > 0) return chosen;
        policy::OperatingPoint point = chosen;
        const auto nominal = policy::nominal_point(*rules_.energy, job, chosen.partition);
        point.ghz = nominal.ghz;
        point.watts = nominal.watts;
        return point;
    }

    static Seconds time_at(const policy::OperatingPoint& point, Seconds nominal) {
        return point.time_factor == 1
                   ? nominal
                   : static_cast<Seconds>(std::llround(static_cast<double>(nominal) * point.time_factor));
    }

    void note_mates(JobOutcome& job, const policy::Decision& decision, Seconds now) {
        SharedStart& joined = job.joined.edit();
        joined = {{}, decision.mate_set.cores, decision.mate_set.index, decision.limit, decision.static_start};
        for (const policy::Mate& mate : decision.mate_set.mates) {
            JobOutcome& host = out_.jobs[static_cast<std::size_t>(mate.id)];
            joined.mates.push_back(host.id);
            host.hosted = true;
            ++host.guests;
        }
        const int partition = decision.point.partition;
        for (const int other : clusters_[static_cast<std::size_t>(partition)].sharers(decision.slot))
            if (has_begun({partition, other})) change({partition, other}, now);
    }

    // False for a job that the same pass started and whose turn is still to come.
    bool has_begun(const Slot& slot) {
        const std::vector<Work>& there = work_[static_cast<std::size_t>(slot.partition)];
        const auto number = static_cast<std::size_t>(slot.number);
        return number < there.size() &&
               there[number].job == static_cast<std::size_t>(cluster(slot).running(slot.number).job.id);
    }

    void adjust(int partition, Seconds now) {
        for (const int slot : clusters_[static_cast<std::size_t>(partition)].changed()) change({partition, slot}, now);
    }

    void change(const Slot& slot, Seconds now) {
        Work& changed = work(slot);
        changed.left = std::max<std::int64_t>(0, changed.left - changed.rate.done * (now - changed.since));
        count_nodes(changed, now);
        changed.since = now;
        set_speed(slot);
        stop_drawing(slot, now);
        set_end(slot, now);
        draw(slot, now);
    }

    void set_end(const Slot& slot, Seconds now) {
        Work& running = work(slot);
        Seconds at = now + policy::seconds_for(running.left, running.rate.done);
        const bool iterates = running.iterates;
        if (iterates) at = std::max<Seconds>(now, std::llround(iterating(running).run.next()));
        const bool at_point = iterates && !iterating(running).run.on_last();
        const Seconds limit = std::max(limit_end(slot), now);
        const bool at_limit = rules_.kill_at_limit && limit < at;
        if (at_limit) at = limit;
        ends_.push(
            {at, static_cast<std::int64_t>(running.job), slot, ++running.version, at_limit, at_point && !at_limit});
    }

    // ---- programs that iterate ---------------------------------------------------------------------------------

    const Program& program(const JobOutcome& job) const {
        return workload_.programs[static_cast<std::size_t>(job.program)];
    }
    Iterating& iterating(const Work& work) { return iterating_.find(work.job)->second; }

    void enter(const Slot& slot, std::size_t number, Seconds now) {
        const int nodes = cluster(slot).running(slot.number).job.nodes;
        iterating_.insert_or_assign(
            number,
            Iterating{IterativeRun(program(out_.jobs[number]), nodes, out_.jobs[number].point.time_factor, now), now});
    }

    void leave(std::size_t number, Seconds now) {
        note_nodes(number, now);
        iterating_.erase(number);
    }

    void note_nodes(std::size_t number, Seconds now) {
        Iterating& noted = iterating_.find(number)->second;
        out_.jobs[number].history.edit().held.push_back({noted.run.nodes(), noted.since, now});
        noted.since = now;
    }

    void iterate(const Slot& slot) {
        ++out_.events;
        IterativeRun& run = iterating(work(slot)).run;
        const double seconds = run.iterate();
        scheduler_.iterated({slot.partition, slot.number, seconds, run.mtct()});
        at_points_.push_back(slot);
    }

    // A decision at a point holds from its exact time on; so the next event is set after it.
    void leave_points(Seconds now) {
        for (const Slot& slot : at_points_) {
            const auto found = iterating_.find(work(slot).job);
            if (!work(slot).iterates || found == iterating_.end()) continue;
            found->second.run.leave_point();
            set_end(slot, now);
        }
        at_points_.clear();
    }

    void carry_out(const policy::Resize& resize, Seconds now) {
        const Slot slot{resize.partition, resize.slot};
        if (!work(slot).iterates) return leave_nodes(slot, resize, now);
        const std::size_t number = work(slot).job;
        IterativeRun& run = iterating(work(slot)).run;
        const bool done = resize.phase == policy::Resize::Phase::kDone;
        const double cost = program(out_.jobs[number]).cost(resize.from, resize.to);
        run.pause(done ? 0 : cost, now);
        if (done) out_.longest_shrink = std::max<Seconds>(out_.longest_shrink, std::llround(cost));
        if (resize.phase == policy::Resize::Phase::kPosted) {
            shrinks_.push({now + std::llround(cost), static_cast<std::int64_t>(number), slot});
            set_end(slot, now);
            return;
        }
        note_nodes(number, now);
        run.resize(resize.to, now);
        ++out_.jobs[number].history.edit().resizes;
        change(slot, now);
    }

    /// Goes on with a job on fewer nodes.
    void leave_nodes(const Slot& slot, const policy::Resize& resize, Seconds now) {
        change(slot, now);
        Work& running = work(slot);
        const int cores = cluster(slot).machine().cores_per_node;
        // The ideal model counts work in cores and seconds: that is the same on any number of nodes.
        if (rules_.execution.kind != policy::ModelKind::kIdeal) {
            running.left = rules_.execution.left_on(running.left, resize.from * cores, resize.to * cores);
            set_end(slot, now);
        }
        JobOutcome& job = out_.jobs[running.job];
        NodeHistory& history = job.history.edit();
        history.held.push_back({resize.from, history.shrunk > 0 ? history.shrunk_at : job.start, now});
        history.shrunk = resize.to;
        history.shrunk_at = now;
        ++history.resizes;
    }

    void end_shrinks(Seconds now) {
        for (; !shrinks_.empty() && shrinks_.top().at <= now; shrinks_.pop()) {
            const Shrink shrink = shrinks_.top();
            const policy::RunningJob& running = cluster(shrink.slot).running(shrink.slot.number);
            if (running.runs && running.job.id == shrink.id)
                scheduler_.shrunk(shrink.slot.partition, shrink.slot.number);
        }
    }

    // ---- the window that is drawn ------------------------------------------------------------------------------

    void draw(const Slot& slot, Seconds now) {
        if (rules_.window_from >= rules_.window_to || now >= rules_.window_to) return;
        for (const int number : cluster(slot).running(slot.number).pieces) {
            const policy::SharedNodes& piece = cluster(slot).piece(number);
            for (const policy::Occupant& o : piece.occupants)
                if (o.job == slot.number)
                    open_.push_back({slot, {work(slot).job, piece.nodes, o.cores, now, now, slot.partition}});
        }
    }

    void stop_drawing(const Slot& slot, Seconds now) {
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
        Slot slot;
        Stretch stretch;
    };

    const Workload& workload_;
    policy::Scheduler& scheduler_;
    const EngineRules& rules_;
    std::vector<Cluster> clusters_;  ///< of each partition
    Outcome out_;
    std::vector<int> partitions_, qos_;
    std::unordered_map<int, int> applications_;  ///< the log's numbers to those of the energy model
    std::vector<std::vector<Work>> work_;        ///< of each slot of each partition
    std::priority_queue<End, std::vector<End>, Later> ends_;
    std::priority_queue<Shrink, std::vector<Shrink>, Later> shrinks_;
    std::unordered_map<std::size_t, Iterating> iterating_;  ///< running jobs that are programs
    policy::Changes changes_;
    std::vector<Open> open_;
    std::vector<Slot> at_points_;  ///< of the present second
    std::size_t submitted_ = 0, ended_ = 0;
};

}  // namespace

Outcome simulate(const Workload& workload, policy::Scheduler& scheduler, const EngineRules& rules) {
    return Engine(workload, scheduler, rules).run();
}

}  // namespace drom::sim
