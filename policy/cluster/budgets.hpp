// SPDX-License-Identifier: BSD-3-Clause
// budgets.hpp - limits on resources times minutes, of accounts and QOS: which of them jobs would reach that share, and
// therefore have their resources for longer.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace drom::policy {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The resources that a job takes, as they are counted: all that it was granted, however many of its cores it lends.
struct Consumption {
    std::vector<std::uint64_t> amounts;  ///< of each resource: CPUs, memory, nodes, ...
    std::uint64_t minutes = 0;           ///< its limit, as it is to be
    std::uint64_t more = 0;              ///< of these, not counted before: all of them for a job that waits
};

/// A limit for each of the resources, in the same order.
struct Budget {
    std::string name;                   ///< the rest of a sentence: "MaxTRESMins of QOS short"
    std::vector<std::uint64_t> limits;  ///< in the resource's unit times minutes; kUnlimited: none
    bool each = true;                   ///< for each job; else for all jobs together
    std::vector<std::uint64_t> taken;   ///< by all jobs: what was used, and is still reserved for those that run
    double factor = 1;                  ///< by which usage of these jobs is counted
};

/// Returns the number of the first resource of which `job` would exceed its budget, or all jobs together would reach
/// theirs; nothing: there is enough. `together`: the jobs that are extended with it, and itself. They may be of other
/// accounts: then there is less than this says, never more. Cost: the resources times the jobs.
std::optional<std::size_t> exhausted(const Budget& budget, const Consumption& job,
                                     const std::vector<Consumption>& together);

}  // namespace drom::policy
