// SPDX-License-Identifier: BSD-3-Clause
// placement_file.hpp - the problem of `drom-sim place` as a text that people write. docs/user/simulator.md has the
// format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "policy/placement/placement.hpp"

namespace drom::sim {

struct PlacementFile {
    policy::placement::Problem problem;
    std::vector<std::string> systems, applications;  ///< their names, in the order of the problem
};

/// Reads a placement. Errors: what is wrong and where, as "line 3, column 14: cores 'many' is not a whole number".
tl::expected<PlacementFile, std::string> read_placement(std::string_view text);

/// Returns a text that read_placement() reads as `file`.
std::string placement_text(const PlacementFile& file);

}  // namespace drom::sim
