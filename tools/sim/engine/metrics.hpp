// SPDX-License-Identifier: BSD-3-Clause
// metrics.hpp - what a simulation comes to in numbers: waits, slowdowns, use of the machine.
//
// Slowdown is response / run time. The run time is that of the job on all its cores (the static one), so that a policy
// is charged for stretching jobs. Where the stretched run time is the divisor, as in some other simulators, the name
// says so. Run times below a second count as one second: otherwise a job that ran for 0 s would have no slowdown at
// all.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/energy.hpp"

namespace drom::sim {

/// Mean and percentiles of one number a job has. A percentile is the nearest rank: of n numbers in order the p-th is
/// number ceil(p n / 100), counted from 1, so it is always a number that occurred. All are 0 when there are no jobs.
struct Spread {
    double mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0;
};

struct Metrics {
    std::size_t jobs = 0;     ///< that ended; everything about jobs is over these
    std::size_t unended = 0;  ///< never started, or waiting or running when the simulation was stopped
    std::size_t killed = 0;   ///< at their limit
    std::size_t too_wide = 0;
    std::size_t malleable_starts = 0;  ///< jobs that started on nodes of others
    std::size_t mates = 0;             ///< jobs on whose nodes others started

    Seconds first_start = 0, last_end = 0;
    Seconds makespan = 0;  ///< last end - first start, seconds

    std::size_t urgent = 0;        ///< urgent jobs, where the policy knows such jobs
    double urgent_wait = 0;        ///< their mean, seconds
    double urgent_wait_p95 = 0;    ///< seconds
    double urgent_slowdown = 0;    ///< their mean
    std::size_t preemptions = 0;   ///< of all jobs
    double lost_node_seconds = 0;  ///< in runs that were preempted

    Spread wait, response;      ///< seconds
    Spread slowdown;            ///< response / static run time; unbounded
    Spread stretched_slowdown;  ///< response / (end - start)
    /// max(1, response / max(static run time, 10 s)); D. Feitelson, "Metrics for parallel job scheduling", 2001.
    Spread bounded_slowdown;

    /// Work done / what all cores can do in the makespan. A job's work is its run time on all cores of the nodes that
    /// it asks for, times these cores. The run time is that on its partition, at its frequency.
    double utilisation = 0;
    /// Share of nodes that have a job, over the makespan. Exact with at most two jobs per node, slightly high with
    /// more.
    double allocated = 0;
    /// Node-seconds at full power: busy ones, and kIdlePower of the idle ones, within the makespan. A proxy: it knows
    /// neither what a program does to a core nor what a half-empty node saves; good for comparing policies on one
    /// machine, for nothing else.
    double energy_proxy = 0;
    std::optional<Energy> energy;  ///< by the model; where there is one the proxy is 0
};

/// The part of full power that an idle node takes; L. Barroso and U. Hoelzle, "The case for energy-proportional
/// computing", 2007.
constexpr double kIdlePower = 0.5;
constexpr Seconds kBound = 10;  ///< tau of the bounded slowdown

/// Returns the run time on all its cores of a job that ended. A job killed at its limit would have been so on all its
/// cores: its run time is not longer than its request.
Seconds static_run(const JobOutcome& job) noexcept;
double slowdown(const JobOutcome& job) noexcept;
double stretched_slowdown(const JobOutcome& job) noexcept;
double bounded_slowdown(const JobOutcome& job) noexcept;

/// Computes the metrics. Cost: linear in the jobs. Sums are compensated and in the order of the jobs: the same outcome
/// gives the same bits.
Metrics measure(const Outcome& outcome);

/// Shares of the jobs whose lot is worse than under another policy.
struct ShareWorse {
    std::size_t jobs = 0;  ///< that ended under both
    double slowdown = 0, wait = 0;
};

/// Returns whether `job` can be compared under both: the same place in the same workload, ended in both.
bool comparable(const Outcome& outcome, const Outcome& baseline, std::size_t job) noexcept;

/// Returns the shares of jobs that are worse off than under the baseline. Jobs are matched by place. Returns nothing
/// when no job ended under both.
std::optional<ShareWorse> share_worse(const Outcome& outcome, const Outcome& baseline);

}  // namespace drom::sim
