// SPDX-License-Identifier: BSD-3-Clause
// loss.hpp - which loss of CPU time is the largest, and one sentence about it. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "metrics/factors.hpp"

namespace drom::metrics {

enum class Cause {
    kCommunication,
    kImbalanceWithinNodes,
    kImbalanceBetweenNodes,
    kSerialization,
    kThreadImbalance,
    kScheduling
};

/// CPU time that was owned and not useful, as a share of what was owned.
struct Loss {
    Cause cause = Cause::kCommunication;
    double share = 0;
};

/// Returns one loss per cause. Their shares and the parallel efficiency sum up to 1.
std::vector<Loss> losses_of(std::span<const Share> processes);

/// Returns one sentence about the largest loss, without a line break. `busiest` is the name of the process that is
/// least in MPI.
std::string sentence_about(std::span<const Share> processes, const std::string& busiest);

}  // namespace drom::metrics
