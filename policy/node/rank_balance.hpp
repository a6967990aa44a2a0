// SPDX-License-Identifier: BSD-3-Clause
// rank_balance.hpp - the ranks of a job trade CPUs until they need the same time (HPC in the cloud, chapter 5; the POP
// load balance). Pure.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "policy/node/adviser.hpp"

namespace drom::policy {

struct RankBalanceRules {
    double min_gain = 0.03;  ///< trades are advised when the ranks together become faster by more than this share
    int max_moves = 8;       ///< CPUs that are traded in a round
    Seconds memory = 600;    ///< for which the speed of a division of the CPUs is remembered
};

/// A rank, and the work that it did: useful CPUs.
struct RankLoad {
    int cpus = 1;
    int min = 1;
    int max = 1;
    double useful = 0;
};

/// Returns the CPUs that each rank should have. All ranks of a job do their iterations together. So a rank's useful
/// CPUs stand for its work per iteration, and work over CPUs for the time that it takes.
///
/// In each move one CPU goes to the rank that takes the longest time, from the rank that would miss it least. Moves end
/// when the longest time falls by `min_gain` or less.
std::vector<int> traded(std::span<const RankLoad> ranks, const RankBalanceRules& rules);

/// Returns an adviser that balances each job of two ranks at least.
///
/// The useful CPUs of all ranks together measure the speed of a job. A predicted gain has to be larger than `min_gain`,
/// and than twice the standard error of the work that it is predicted from. The speed of each division of the CPUs is
/// remembered. A division that turned out slower than the one before is undone, and not tried again for a while.
std::unique_ptr<Adviser> rank_balance(const RankBalanceRules& rules);

}  // namespace drom::policy
