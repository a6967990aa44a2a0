// SPDX-License-Identifier: BSD-3-Clause
// verify.hpp - what a drom verify found out.
#pragma once

#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

struct ModeResult {
    std::string mode;
    unsigned runs = 0;
    unsigned right = 0;
    unsigned requests = 0;
    double median_s = 0;
    std::string wrong = {};  ///< what was wrong the first time; empty: nothing
};

struct VerifyReport {
    std::string program;
    std::string build_id;
    double undisturbed_s = 0;
    uint64_t seed = 0;
    std::vector<ModeResult> modes;
    std::string chosen;       ///< keep, follow or rigid
    std::string recorded_in;  ///< empty: not recorded
};

/// The fastest of those that were always right; "rigid" when none was. Two that differ by less than 5 % are equally fast, and then
/// the earlier one is chosen. Pure.
std::string fastest_right(const std::vector<ModeResult>& modes);

}  // namespace drom::command
