// SPDX-License-Identifier: BSD-3-Clause
// profile.hpp - what a resizable program's iterations took on the sizes that it has visited, and what one more size
// promises (ReSHAPE, section 2.3.1). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace drom::policy {

/// A size, and how long an iteration took on it.
struct Visit {
    int size = 0;
    double seconds = 0;  ///< 0: no iteration has ended on it yet

    bool measured() const noexcept { return seconds > 0; }
};

/// How the gain of one more size is estimated from the sizes visited.
enum class Estimator : std::uint8_t {
    kMonotone,  ///< the slope of a curve that never falls: Amdahl's law or a saturating line, whichever fits better
    kThesis,    ///< the slope of the parabola through the last three; it may promise a loss where there is a gain
};

/// The visited sizes as a stack: the size at the start, each expansion, and the present size on top.
class Profile {
public:
    explicit Profile(int start) : visits_{{start, 0}} {}

    int start() const noexcept { return visits_.front().size; }
    int size() const noexcept { return visits_.back().size; }
    std::span<const Visit> visits() const noexcept { return visits_; }
    /// Returns how often the size has changed.
    int resizes() const noexcept { return resizes_; }

    /// Notes that an iteration on the present size took `seconds`.
    void measured(double seconds) { visits_.back().seconds = seconds; }
    void expanded(int size);
    /// Goes back to `size`, one of those visited.
    void contracted(int size);

    /// Returns the size visited before the present one; nothing at the start.
    std::optional<int> previous() const;
    /// Returns the largest visited size that frees `nodes`; the size at the start when none does.
    int largest_that_frees(int nodes) const;
    /// Returns how much longer an iteration is predicted to take on the previous size, as a share; 0 at the start. A
    /// size that was not measured yet counts as used perfectly.
    double damage_of_contraction() const;
    /// Returns whether the last expansion made iterations shorter by no more than the share `min_gain`.
    bool growth_was_useless(double min_gain) const;

private:
    std::vector<Visit> visits_;
    int resizes_ = 0;
};

/// Returns the gain of speed per gain of size at the last measured visit, both relative to the first visit. Infinite
/// while fewer than two sizes are measured.
double expand_potential(std::span<const Visit> visits, Estimator estimator);

}  // namespace drom::policy
