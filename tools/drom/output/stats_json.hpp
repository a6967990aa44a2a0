// SPDX-License-Identifier: BSD-3-Clause
// stats_json.hpp - the objects of drom stats --json, written and read again, of drom stats --regions --json, and of
// drom top --json.
#pragma once

#include <string>
#include <string_view>

#include "drom/drom.hpp"
#include "output/regions_report.hpp"
#include "output/stats_report.hpp"
#include "output/top_table.hpp"

namespace drom::command {

std::string stats_json(const StatsReport& report);
std::string regions_json(const RegionsReport& report);
std::string top_json(const TopFrame& frame);

/// Reads such an object. Any bytes may come. Errors: E_INVAL; the sentence begins with the place, "3:14" (line and
/// column) or "/applications/0/job".
Expected<StatsReport> read_stats(std::string_view text);

}  // namespace drom::command
