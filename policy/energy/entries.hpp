// SPDX-License-Identifier: BSD-3-Clause
// entries.hpp - where and how fast a job may run: an entry per partition, in the order of the energy-aware policies
// (thesis 6.4).
#pragma once

#include <cstdint>
#include <span>

#include "policy/energy/model.hpp"
#include "policy/sharing/decision.hpp"

namespace drom::policy {

/// How the frequency of an entry is chosen.
enum class Aim : std::uint8_t {
    kBalance,  ///< least distance from the origin in time and energy (equation 6.4)
    kTime,     ///< least run time
    kEnergy,   ///< least energy
    kNominal,
};

/// How entries of several jobs are ordered.
enum class EntryOrder : std::uint8_t {
    kConfigured,     ///< by arrival, then by partition as configured
    kReorder,        ///< by arrival, then by efficiency
    kPriorityInc,    ///< first preferences of all jobs by arrival, then all second preferences
    kPriorityIncV,   ///< the same, but entries beyond the threshold are behind all others
    kBestPartition,  ///< by arrival; a job has its best entry only
};

struct EnergyRules {
    Aim aim = Aim::kBalance;
    EntryOrder order = EntryOrder::kPriorityIncV;
    double time_weight = 1;   ///< of time against energy
    double threshold = 0.35;  ///< kPriorityIncV: how much worse than the best efficiency an entry may be
    int depth = 1000;         ///< entries looked at in a pass; 0: all
};

/// Returns the state that `aim` asks for. Equal states: the slower one. Needs at least one prediction.
Prediction choose(std::span<const Prediction> predictions, double nominal_ghz, Aim aim, double time_weight);

/// Returns the distance from the origin in energy and time, each as a ratio to the least one. The printed equations
/// 6.4 and 6.5 divide the squares by the minima once, and so mix joules with ratios.
double distance(double energy_ratio, double time_ratio, double time_weight) noexcept;

/// One way to run a job.
struct Entry {
    OperatingPoint point;
    int rank = 0;  ///< entries of all jobs are looked at by rank first, then by arrival
};

/// Returns the entries of a job, in the order in which they are looked at within one rank. A partition that has fewer
/// nodes than the job is left out. An application that is not known (-1) is taken to run equally well everywhere, at
/// nominal frequencies.
std::vector<Entry> entries_of(const EnergyModel& model, const Job& job, const EnergyRules& rules);

/// Returns where the job is if it runs on `partition` at its nominal frequency. An application that is not known takes
/// the mean power of those that are.
OperatingPoint nominal_point(const EnergyModel& model, const Job& job, int partition);

}  // namespace drom::policy
