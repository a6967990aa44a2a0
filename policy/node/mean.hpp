// SPDX-License-Identifier: BSD-3-Clause
// mean.hpp - the mean of what was looked at, and how sure it is. Pure.
#pragma once

#include <cmath>

namespace drom::policy {

/// A mean of looks, and its standard error. Looks long ago count less: programs have phases.
class Mean {
public:
    void add(double value) {
        if (all())
            squares_ *= 1 - 1 / kLooks;
        else
            ++count_;
        const double off = value - mean_;
        mean_ += off / count_;
        squares_ += off * (value - mean_);
    }
    [[nodiscard]] double value() const { return mean_; }
    /// Returns a tenth of the mean where one look alone was made.
    [[nodiscard]] double error() const { return count_ < 2 ? mean_ / 10 : std::sqrt(squares_ / (count_ - 1) / count_); }
    /// Returns whether more looks would make it no surer.
    [[nodiscard]] bool all() const { return count_ >= kLooks; }

private:
    static constexpr double kLooks = 40;

    double count_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

}  // namespace drom::policy
