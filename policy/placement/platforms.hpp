// SPDX-License-Identifier: BSD-3-Clause
// platforms.hpp - on which partition a job starts, where partitions run applications at different speeds (HPC in the
// cloud, chapter 3): by effective supply, and by simpler rules to compare it with.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "policy/backfill/scheduler.hpp"

namespace drom::policy {

/// Run times of applications on each partition, as multiples of those on the first.
class Slowdowns {
public:
    /// Of one application, for jobs of `nodes` nodes or more: one number per partition. It does not run where the
    /// number is infinite, nor behind the last one.
    struct Row {
        int nodes = 0;
        std::vector<double> times;
    };
    /// The rows of one application, by increasing nodes. None: nothing is known of it.
    using Rows = std::vector<Row>;

    Slowdowns() = default;
    explicit Slowdowns(std::vector<Rows> applications) : applications_(std::move(applications)) {}

    /// Returns the slowdown of a job on a partition: 1 where the table does not know the application.
    double of(const Job& job, int partition) const;

private:
    std::vector<Rows> applications_;
};

struct PlatformRules {
    enum class Choice : std::uint8_t {
        kSupply,         ///< most free cores times performance, which is 1 on the partition that is best for the job
        kBestFirst,      ///< the fastest with room
        kMostFree,       ///< most free cores
        kRoundRobin,     ///< the next with room
        kBySize,         ///< `sizes`
        kByApplication,  ///< `map`
        kFirst,          ///< always the first
    };
    Choice choice = Choice::kSupply;
    std::vector<int> sizes{
        64, 16};           ///< fewest nodes of a job on the first partition, on the second ...; the last takes the rest
    std::vector<int> map;  ///< partition of each application
    Slowdowns slowdowns;   ///< nothing known: jobs run alike on all partitions
};

/// Returns a scheduler: first come, first served, with EASY's reservation on each partition. A job starts on the
/// partition that the choice likes best among those with room. A job that finds no room waits for the partition that
/// has room first. Where its application does not run it never starts: the first partition stands in for the one that
/// `sizes` or `map` says.
std::unique_ptr<Scheduler> platforms(PlatformRules rules);

}  // namespace drom::policy
