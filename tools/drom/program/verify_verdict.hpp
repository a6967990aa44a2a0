// SPDX-License-Identifier: BSD-3-Clause
// verify_verdict.hpp - what may be concluded from the runs of a drom verify. Pure.
#pragma once

#include <string>
#include <vector>

namespace drom::command {

/// One run in one mode. CPU time and not time on the clock: other work on the machine lengthens the latter only.
struct Trial {
    unsigned requests = 0;   ///< that changed something
    double cpu_s = 0;        ///< user and system time of the program and of its descendants that it waited for
    std::string fault = {};  ///< what was wrong; empty: right
};

/// The trials of one mode, by round: round i of every mode is of the same kind and has the same seed.
struct ModeResult {
    std::string mode;
    std::vector<Trial> trials = {};

    [[nodiscard]] unsigned right() const;
    [[nodiscard]] unsigned requests() const;
    [[nodiscard]] const Trial* first_wrong() const;  ///< nullptr: every trial was right
    /// Returns whether every kind of run that was tried had at least one request that changed something.
    [[nodiscard]] bool has_evidence() const;
};

/// Returns whether a mode is wrong more often than the undisturbed program, beyond doubt. Suppose that both were wrong
/// equally often, at random. Then all the wrong runs would be this mode's with a probability of at most 0.05 (Fisher's
/// exact test). A fault that always comes needs three trials and five undisturbed runs. `undisturbed`: runs, all right.
bool is_beyond_chance(const ModeResult& mode, unsigned undisturbed);

/// The number of runs that show, with a probability of 0.95, that a program is wrong by itself in one run of ten.
constexpr unsigned kMaxUndisturbed = 30;

/// A median and an interval. With at least 6 values, the interval contains the median with a probability of 0.95 or
/// more (the order statistics of the sign test: Conover, Practical Nonparametric Statistics, section 3.2). Otherwise it
/// goes from the least to the greatest value.
struct Interval {
    double median = 0;
    double low = 0;
    double high = 0;
};
Interval interval_of(std::vector<double> values);

/// Returns ratios of CPU time, one per round that both modes have.
std::vector<double> ratios_of(const ModeResult& mode, const ModeResult& base);

struct Verdict {
    std::string mode;    ///< keep, follow or rigid; empty: not verified
    std::string reason;  ///< a clause for people
};

/// Judges the modes. rigid: keep was wrong. follow: it was right, with evidence, and took less CPU time than keep
/// beyond doubt. Otherwise keep. Not verified: a mode that was right had no evidence, or one was wrong as chance
/// explains. `undisturbed`: runs, all of them right.
Verdict verdict_on(const ModeResult& keep, const ModeResult& follow, unsigned undisturbed);

}  // namespace drom::command
