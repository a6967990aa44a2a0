// SPDX-License-Identifier: BSD-3-Clause
// scheduler.hpp - which jobs start now: static backfill, and sharing after it where a policy shares.
//
// A scheduler knows the waiting jobs; the clusters know the running ones, one cluster per partition of the machine. The
// program around them (simulator, plugin) tells both what happens, in order of time. It asks for a pass whenever
// something happened or wake() says so.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "policy/cluster/booked_nodes.hpp"
#include "policy/job/priority.hpp"
#include "policy/job/resize_traits.hpp"
#include "policy/sharing/slowdown.hpp"

namespace drom::policy {

/// Static backfill. Defaults are Slurm's of the same names (22.05, sched/backfill).
struct BackfillRules {
    int depth = 500;             ///< bf_max_job_test: jobs looked at in a pass; 0: all
    Seconds interval = 30;       ///< bf_interval: between passes; 0: a pass at every event
    Seconds window = 24 * 3600;  ///< bf_window: no reservation that begins later than this from now; 0: no limit
    Seconds resolution = 60;     ///< bf_resolution: of the map of reservations
    int reservations = 0;        ///< most of them in a pass; 1 is EASY, 0: no limit (conservative)
    bool main_scheduler = true;  ///< Slurm's main scheduler: at every event jobs start in order until one does not fit
    PriorityLaw priority;
    std::vector<Booking> bookings;  ///< nodes that no job has for a while
    Seconds leave_lead = kNever;    ///< malleable jobs use them, and leave this long before; kNever: they do not

    /// Returns Lifka's EASY: one reservation, unlimited depth, a pass at every event, first come, first served.
    static BackfillRules easy();
};

/// A job that a pass started. Its request is that of Cluster::running(), scaled where the policy chose a slower or
/// faster operating point.
struct Start {
    Job job;
    Decision decision;
};

/// A job whose number of nodes a pass changed.
struct Resize {
    enum class Phase : std::uint8_t {
        kAtOnce,
        kPosted,  ///< a shrink that the program has to carry out: the cluster changes when it has
        kDone,    ///< a shrink that was posted before
    };
    int partition = 0, slot = 0;
    int from = 0, to = 0;
    Phase phase = Phase::kAtOnce;
};

/// A running job that a pass ended so that it waits again, at its old place in the queue: its work is lost.
struct Preemption {
    int partition = 0, slot = 0;  ///< that it had; a job that starts in the same pass may have it now
    JobId job = 0;
};

/// The changes that a pass made. Preemptions come before starts.
struct Changes {
    std::vector<Preemption> preempted;
    std::vector<Start> started;
    std::vector<Resize> resized;

    void clear() {
        preempted.clear();
        started.clear();
        resized.clear();
    }
};

/// A running job at a resize point: one of its iterations has ended.
struct Iteration {
    int partition = 0, slot = 0;
    double seconds = 0;  ///< that it took
    double mtct = 0;     ///< time in MPI over time outside it
};

class Scheduler {
public:
    virtual ~Scheduler() = default;
    virtual void submit(const Job& job) = 0;
    /// Takes a waiting job back. False when it does not wait.
    virtual bool cancel(JobId id) = 0;
    /// Notes that a job is at a resize point. The next pass may change its size.
    virtual void iterated(const Iteration& /*iteration*/) {}
    /// Notes that the program has carried out a shrink that was posted.
    virtual void shrunk(int /*partition*/, int /*slot*/) {}
    /// Decides at `now`, carries it out on the clusters, and appends what it did to `changes`. `partitions` are always
    /// the same ones, and as many as the policy can use (PolicyRow::several_partitions). `ended`: since the last pass a
    /// job ended or the machine changed (otherwise only submits happened).
    virtual void pass(std::span<Cluster> partitions, Seconds now, bool ended, Changes& changes) = 0;
    /// Tells that a job ended which a pass started. `run`: its time on all its cores, as far as it is known.
    virtual void ended(JobId /*id*/, Seconds /*run*/) {}
    /// Returns when the next pass is due although nothing happens; kNever when none is.
    virtual Seconds wake() const = 0;
    virtual std::size_t waiting() const = 0;
};

/// Returns EASY on its own: exact, and no slower with a long queue. First come, first served; machines of one class of
/// nodes, jobs without filters. Equal to backfill() with BackfillRules::easy(), decision by decision.
std::unique_ptr<Scheduler> easy();

/// Returns a scheduler by any static rules, and by the slowdown-driven policy when `sharing` is given.
std::unique_ptr<Scheduler> backfill(BackfillRules rules, std::optional<SlowdownRules> sharing = std::nullopt);

}  // namespace drom::policy
