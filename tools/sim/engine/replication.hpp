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

/// Computes the mean of values that are independent, and its interval, which is 0 with fewer than two.
Estimate estimate(const std::vector<double>& values);

class Replication {
public:
    explicit Replication(std::size_t settings) : changes_(settings) {}

    /// Adds one more workload for a setting.
    void add(std::size_t setting, const Metrics& metrics, const Metrics& baseline);
    /// Returns a table for people: changes of response, slowdown, stretched and bounded slowdown, makespan, and with a
    /// model of the energy of jobs. They are in percent of the baseline's; settings without one are left out.
    std::string table(const std::vector<std::string>& labels) const;

private:
    static constexpr std::size_t kKinds = 6;
    std::vector<std::array<std::vector<double>, kKinds>> changes_;
    bool energy_ = false;  ///< the last kind has a meaning
};

}  // namespace drom::sim
