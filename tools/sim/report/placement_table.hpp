// SPDX-License-Identifier: BSD-3-Clause
// placement_table.hpp - a plan of `drom-sim place` as a table for people; summary_json.hpp has it for programs.
#pragma once

#include <string>

#include "workload/placement_file.hpp"

namespace drom::sim {

/// Returns a row per application with its systems, a row per system, and the cost.
std::string placement_table(const PlacementFile& file, const policy::placement::Plan& plan);

/// Returns the cores of each system that the plan uses.
std::vector<int> used_cores(const PlacementFile& file, const policy::placement::Plan& plan);

}  // namespace drom::sim
