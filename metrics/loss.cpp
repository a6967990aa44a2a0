// SPDX-License-Identifier: BSD-3-Clause
// loss.cpp - the largest loss of CPU time.
#include "metrics/loss.hpp"

#include <algorithm>
#include <cmath>

namespace drom::metrics {

namespace {

/// A smaller loss than this share is within the error of a measurement.
constexpr double kWorthTelling = 0.02;

std::string why(Cause cause, const std::string& busiest) {
    switch (cause) {
        case Cause::kCommunication: return "every process waits in MPI, also the busiest one (communication)";
        case Cause::kImbalanceWithinNodes:
            return "processes of a node have unequal work and wait in MPI for " + busiest;
        case Cause::kImbalanceBetweenNodes: return "nodes have unequal work and wait in MPI for that of " + busiest;
        case Cause::kSerialization: return "only the primary thread works outside parallel regions";
        case Cause::kThreadImbalance: return "CPUs wait for the busiest thread of their process";
        case Cause::kScheduling: return "no thread of a process has work: runtime, sleep, or waiting for a CPU";
    }
    return {};
}

}  // namespace

std::vector<Loss> losses_of(std::span<const Share> processes) {
    const Budget sum = sum_of(processes);
    if (sum.owned <= 0) return {};
    const OutsideMpi outside = outside_mpi_of(processes);
    return {{Cause::kCommunication, 1 - outside.process},
            {Cause::kImbalanceWithinNodes, outside.process - outside.node},
            {Cause::kImbalanceBetweenNodes, outside.node - outside.program},
            {Cause::kSerialization, sum.serialization / sum.owned},
            {Cause::kThreadImbalance, sum.load_imbalance / sum.owned},
            {Cause::kScheduling, sum.scheduling / sum.owned}};
}

std::string sentence_about(std::span<const Share> processes, const std::string& busiest) {
    const auto losses = losses_of(processes);
    if (losses.empty()) return "No process owned a CPU.";
    const Loss largest = *std::ranges::max_element(losses, {}, &Loss::share);
    if (largest.share < kWorthTelling) return "No loss is larger than 2 % of the CPU time.";
    const long percent = std::lround(100 * largest.share);
    return "The largest loss: " + std::to_string(percent) + " % of the CPU time, as " + why(largest.cause, busiest) +
           ".";
}

}  // namespace drom::metrics
