// SPDX-License-Identifier: BSD-3-Clause
// range.hpp - the numbers that an option takes, in the simulator, in SchedulerParameters and in a journal alike.
#pragma once

namespace drom::policy {

/// Both ends are numbers that the option takes.
template <class Number>
struct Range {
    Number min;
    Number max;

    /// Returns whether the option takes `value`. False for a NaN.
    constexpr bool has(Number value) const noexcept { return value >= min && value <= max; }
};

}  // namespace drom::policy
