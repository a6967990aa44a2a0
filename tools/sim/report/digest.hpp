// SPDX-License-Identifier: BSD-3-Clause
// digest.hpp - all that a report needs of a simulation, so that its jobs can be forgotten: a few kilobytes instead of
// hundreds per job.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/metrics.hpp"
#include "report/gantt.hpp"

namespace drom::sim {

/// Classes of static run time: up to and including these, in seconds; the last has no end.
constexpr std::array<Seconds, 7> kRunClasses = {60, 600, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 72 * 3600};

/// Returns the class of a run time, of kRunClasses.size() + 1.
std::size_t run_class(Seconds run) noexcept;
/// Returns the class of a number of nodes, by powers of two: 0 is one node, k is more than 2^(k-1) and up to 2^k nodes.
std::size_t node_class(int nodes) noexcept;

/// Means over the jobs of one class of nodes and one of run time. Without a baseline its members stay 0.
struct HeatCell {
    std::size_t jobs = 0;
    double slowdown = 0, run = 0, wait = 0;  ///< `run` is end - start, seconds
    double baseline_slowdown = 0, baseline_run = 0, baseline_wait = 0;
};

/// Jobs by size and length (thesis, figures 5.4 to 5.6). With a baseline only jobs that ended under both are here.
struct HeatMap {
    bool against_baseline = false;
    /// By class of nodes, up to that of the widest job.
    std::vector<std::array<HeatCell, kRunClasses.size() + 1>> rows;
};

constexpr Seconds kDaySeconds = 24 * 3600;

/// Days without jobs and starts are left out.
struct Day {
    Seconds day = 0;                   ///< since the log's zero; of the calendar (UTC) where that is known
    std::size_t jobs = 0;              ///< submitted on it, and ended
    double slowdown = 0;               ///< their mean
    std::size_t malleable_starts = 0;  ///< on it
};

constexpr std::size_t kQuantiles = 200;

/// kQuantiles + 1 numbers in order: number i is what i / kQuantiles of the jobs do not exceed. Empty: no job ended.
struct Distributions {
    std::vector<double> wait, slowdown;
};

/// Means over equal steps of time, the last of which may be shorter. Empty: nothing ran.
struct Utilisation {
    Seconds from = 0, step = 1, to = 0;
    std::vector<double> shares;  ///< of the nodes that have a job
};

struct Digest {
    Setting setting;
    bool interrupted = false;
    std::size_t passes = 0, events = 0;
    std::size_t outlived = 0;    ///< guests that outlived a mate
    Seconds longest_shrink = 0;  ///< from the request to the program's answer, of those that were carried out
    Metrics metrics;
    std::optional<ShareWorse> worse;  ///< than under the baseline
    HeatMap heat;
    std::vector<Day> days;
    Distributions distributions;
    Utilisation utilisation;
    Gantt gantt;
};

/// Computes the digest. `baseline`: the outcome of the same workload that this one is compared with; may be null.
/// `window`: what the Gantt chart shows; empty: all that was recorded. Cost: linear in the jobs, and that of gantt().
Digest digest(const Outcome& outcome, const Outcome* baseline = nullptr, Window window = {});

}  // namespace drom::sim
