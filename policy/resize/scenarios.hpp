// SPDX-License-Identifier: BSD-3-Clause
// scenarios.hpp - ReSHAPE's eight scenarios: an allocation, a harvest, and which goes first at a resize point (ReSHAPE,
// section 4.3). Pure.
#pragma once

#include <string_view>

#include "policy/resize/strategies.hpp"

namespace drom::policy {

struct Scenario {
    std::string_view name;
    Allocation allocation;
    Harvest harvest;

    /// Returns whether running jobs are favoured: without a harvest they grow before waiting jobs start.
    bool favours_running() const noexcept { return harvest == Harvest::kNone; }
};

/// Returns pba-q, fair-q, fcfs-li-q, greedy-r, fair-r; by classes pba, fcfs, max-b; and static, which resizes nothing.
std::span<const Scenario> scenarios();
/// Returns the scenario of that name; null when there is none.
const Scenario* scenario_named(std::string_view name);

enum class ResizeReason : std::uint8_t {
    kKeep,       ///< nothing changes
    kSweetSpot,  ///< it has found its best size before
    kUndo,       ///< the last growth was useless: back, and a sweet spot from now on
    kHarvest,    ///< its nodes help the first waiting job
    kExpand,     ///< it grows on idle nodes
};

const char* word(ResizeReason reason) noexcept;

struct Proposal {
    int size = 0;
    ResizeReason reason = ResizeReason::kKeep;
};

/// Returns what the job at its resize point should do before waiting jobs are started.
Proposal before_starts(const Scenario& scenario, const ResizeView& view, const ResizeRules& rules);

/// Returns what the job should do with the nodes that are idle after these starts. `first` is what before_starts()
/// proposed.
Proposal after_starts(const Scenario& scenario, const ResizeView& view, const ResizeRules& rules,
                      const Proposal& first);

/// Brings the job at `at` to the proposed size at `now`, with its mark and its turn.
void apply(const Proposal& proposal, std::vector<ResizableJob>& running, std::size_t at, Seconds now);

/// Removes the marks of sweet spots that were found the rules' time before `now`: those jobs may grow again.
void lift_marks(std::span<ResizableJob> running, const ResizeRules& rules, Seconds now);

/// Weights of the order in which waiting jobs are considered.
struct QueueWeights {
    double factor = 1;  ///< of one plus the wait as a share of the job's time
    double wait = 0;    ///< of the wait itself, per second
    double nodes = 0;   ///< of the size
};

/// Returns the priority of a job: higher is earlier. `limit` is a bound of times below which waits do not count more,
/// and `walltime` what the job asked for; of a running job, what remains of it.
double queue_priority(const QueueWeights& weights, double wait, double limit, double walltime, int nodes) noexcept;

}  // namespace drom::policy
