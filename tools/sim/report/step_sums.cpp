// SPDX-License-Identifier: BSD-3-Clause
// step_sums.cpp - adds an amount to steps: in part to its first and its last one, in whole to those between.
#include "report/step_sums.hpp"

#include <algorithm>

namespace drom::sim {

StepSums::StepSums(Seconds from, Seconds step, Seconds to) : from_(from), step_(step), to_(std::max(from, to)) {
    const auto steps = static_cast<std::size_t>((to_ - from_ + step_ - 1) / step_);
    partial_.resize(steps);
    change_.resize(steps + 1);
}

void StepSums::add(Seconds from, Seconds to, double amount) {
    from = std::max(from, from_);
    to = std::min(to, to_);
    if (from >= to) return;
    const std::size_t first = step_at(from), last = step_at(to - 1);
    if (first == last) {
        partial_[first] += amount * static_cast<double>(to - from);
        return;
    }
    partial_[first] += amount * static_cast<double>(begin(first + 1) - from);
    partial_[last] += amount * static_cast<double>(to - begin(last));
    change_[first + 1] += amount;
    change_[last] -= amount;
}

std::vector<double> StepSums::each() const {
    std::vector<double> sums;
    sums.reserve(partial_.size());
    double amount = 0;
    for (std::size_t i = 0; i < partial_.size(); ++i) {
        amount += change_[i];
        sums.push_back(partial_[i] + amount * static_cast<double>(seconds(i)));
    }
    return sums;
}

Seconds StepSums::seconds(std::size_t step) const noexcept { return std::min(step_, to_ - begin(step)); }

}  // namespace drom::sim
