// SPDX-License-Identifier: BSD-3-Clause
// equipartition.hpp - equal shares with a cool-down, and the order in which changes are carried out (HPC in the cloud,
// sections 6.3 and 6.5.5). Pure.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "policy/job/job.hpp"

namespace drom::policy {

/// A job, in the order of their coming.
struct Shareholder {
    JobId id = 0;
    int size = 0;          ///< 0: it waits
    Seconds changed = 0;   ///< when it was launched or changed last
    int min = 1, max = 1;  ///< units
};

/// Returns the size of each job, in their order; 0: it waits on. Jobs that changed less than `min_gap` ago keep theirs.
/// Running jobs keep at least their minimum, then waiting ones get it in their order while it fits. The rest goes
/// evenly, one unit at a time.
std::vector<int> equal_shares(std::span<const Shareholder> jobs, int units, Seconds min_gap, Seconds now);

/// Returns the least T_gap that ten times the cost of a change allows.
Seconds min_gap_for(Seconds cost) noexcept;

/// One change of a job.
struct Step {
    JobId job = 0;
    int from = 0, to = 0;  ///< units

    bool shrinks() const noexcept { return to < from; }
    friend bool operator==(const Step&, const Step&) = default;
};

/// Carries out plans in two phases. Shrinks are posted at once, and their units count as used until each is
/// acknowledged. Launches and expansions are posted as soon as enough units are free, in the order of the plan. A
/// shrink that is not acknowledged by its deadline is rolled back, with all that waits.
class SplitPhase {
public:
    SplitPhase(int units, Seconds patience) : free_(units), patience_(patience) {}

    /// Replaces the plan; steps that were posted stay. Returns what is to be posted now.
    std::vector<Step> plan(std::span<const Step> steps, Seconds now);
    /// Notes that the job has given up the units of its shrink. Returns what is to be posted now.
    std::vector<Step> acknowledged(JobId job);
    /// Notes that the job is gone, with all its units. Others may be gone with it, and so nothing is posted.
    void forget(JobId job, int units);
    /// Returns what is to be posted now.
    std::vector<Step> post();
    /// Returns the shrinks that are too late at `now`. Each is withdrawn, and so are all steps that wait.
    std::vector<Step> expire(Seconds now);

    /// Returns when the next shrink is too late; kNever when none is posted.
    Seconds deadline() const;
    int free() const noexcept { return free_; }
    std::size_t waiting() const noexcept { return waiting_.size(); }
    bool steady() const noexcept { return waiting_.empty() && shrinking_.empty(); }

private:
    struct Posted {
        Step step;
        Seconds deadline;
    };

    int free_;
    Seconds patience_;
    std::map<JobId, Posted> shrinking_;
    std::vector<Step> waiting_;
};

}  // namespace drom::policy
