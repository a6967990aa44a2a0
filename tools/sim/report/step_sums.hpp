// SPDX-License-Identifier: BSD-3-Clause
// step_sums.hpp - amounts that last for a while, summed over equal steps of time.
#pragma once

#include <vector>

#include "policy/job/job.hpp"

namespace drom::sim {

using policy::Seconds;

/// Steps from `from` to `to`, the last of which may be shorter. Times outside of them are left out.
class StepSums {
public:
    StepSums(Seconds from, Seconds step, Seconds to);

    /// Adds `amount` for each second of [from, to). Cost: none that depends on the steps.
    void add(Seconds from, Seconds to, double amount);
    /// Returns the sum of each step: amounts times seconds.
    std::vector<double> each() const;
    /// Returns how many seconds a step has.
    Seconds seconds(std::size_t step) const noexcept;

private:
    Seconds begin(std::size_t step) const noexcept { return from_ + static_cast<Seconds>(step) * step_; }
    std::size_t step_at(Seconds time) const noexcept { return static_cast<std::size_t>((time - from_) / step_); }

    Seconds from_, step_, to_;
    std::vector<double> partial_;  ///< of steps that an amount does not fill
    std::vector<double> change_;   ///< of the amounts that fill whole steps, from each step on
};

}  // namespace drom::sim
