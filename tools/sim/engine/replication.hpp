// SPDX-License-Identifier: BSD-3-Clause
// replication.hpp - the same comparison over several workloads: mean changes against the baseline with confidence
// intervals.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/metrics.hpp"

namespace drom::sim {

/// Mean and half width of its 95 % confidence interval (Student's t).
struct Estimate {
    double mean = 0, half = 0;
};

/// Of values that are independent. The interval is 0 with fewer than two.
Estimate estimate(const std::vector<double>& values);

class Replication {
public:
    explicit Replication(std::size_t settings) : changes_(settings) {}

    /// One more workload for a setting.
    void add(std::size_t setting, const Metrics& metrics, const Metrics& baseline);
    /// For people: change of response, slowdown, bounded slowdown, makespan, and with a model the energy of jobs, in
    /// percent of the baseline's; settings without one are left out.
    std::string table(const std::vector<std::string>& labels) const;

private:
    static constexpr std::size_t kKinds = 6;
    std::vector<std::array<std::vector<double>, kKinds>> changes_;
    bool energy_ = false;  ///< the last kind has a meaning
};

}  // namespace drom::sim
