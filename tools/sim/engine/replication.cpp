// SPDX-License-Identifier: BSD-3-Clause
// replication.cpp - means of changes and how sure they are.
#include "engine/replication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace drom::sim {
namespace {

/// Returns quantile 0.975 of Student's t. From 10 degrees of freedom on it is a Cornish-Fisher expansion (Abramowitz
/// and Stegun 26.7.5), which is off by less than 0.01 %.
double t_quantile(std::size_t degrees) {
    constexpr double kFew[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
    if (degrees <= std::size(kFew)) return kFew[degrees - 1];
    const double z = 1.959963985, v = static_cast<double>(degrees);
    const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

std::array<double, 6> numbers_of(const Metrics& m) {
    return {m.response.mean,
            m.slowdown.mean,
            m.stretched_slowdown.mean,
            m.bounded_slowdown.mean,
            static_cast<double>(m.makespan),
            m.energy ? m.energy->jobs_joules : 0};
}

double change(double now, double before) { return before > 0 ? 100 * (now / before - 1) : 0; }

}  // namespace

Estimate estimate(const std::vector<double>& values) {
    if (values.empty()) return {};
    const auto n = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / n;
    if (values.size() < 2) return {mean, 0};
    for (const double value : values) squares += (value - mean) * (value - mean);
    return {mean, t_quantile(values.size() - 1) * std::sqrt(squares / (n - 1) / n)};
}

void Replication::add(std::size_t setting, const Metrics& metrics, const Metrics& baseline) {
    const std::array<double, kKinds> now = numbers_of(metrics), before = numbers_of(baseline);
    energy_ = energy_ || metrics.energy;
    for (std::size_t kind = 0; kind < kKinds; ++kind)
        changes_[setting][kind].push_back(change(now[kind], before[kind]));
}

std::string Replication::table(const std::vector<std::string>& labels) const {
    std::size_t width = 6, seeds = 0;
    for (const std::string& label : labels) width = std::max(width, label.size());
    for (const auto& kinds : changes_) seeds = std::max(seeds, kinds.front().size());
    std::string text = fmt::format(
        "\nchange against the baseline in %, mean and 95 % confidence over {} workloads\n{:<{}} {:>16} {:>16} {:>16} "
        "{:>16} {:>16}{}\n",
        seeds, "policy", width, "response", "slowdown", "stretched", "bounded", "makespan",
        energy_ ? fmt::format(" {:>16}", "energy") : "");
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (changes_[i].front().empty()) continue;
        text += fmt::format("{:<{}}", labels[i], width);
        for (std::size_t kind = 0; kind < (energy_ ? kKinds : kKinds - 1); ++kind) {
            const Estimate e = estimate(changes_[i][kind]);
            text += fmt::format(" {:>16}", fmt::format("{:+.1f} ± {:.1f}", e.mean, e.half));
        }
        text += '\n';
    }
    return text;
}

}  // namespace drom::sim
