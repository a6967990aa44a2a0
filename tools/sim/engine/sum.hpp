// SPDX-License-Identifier: BSD-3-Clause
// sum.hpp - sums of many terms.
#pragma once

#include <cmath>

namespace drom::sim {

/// A sum whose error does not grow with the number of terms (Neumaier).
class Sum {
public:
    void add(double term) noexcept {
        const double next = sum_ + term;
        lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
        sum_ = next;
    }
    double value() const noexcept { return sum_ + lost_; }

private:
    double sum_ = 0, lost_ = 0;
};

}  // namespace drom::sim
