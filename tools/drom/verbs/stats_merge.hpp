// SPDX-License-Identifier: BSD-3-Clause
// stats_merge.hpp - the reports of several nodes as one. Pure.
#pragma once

#include <string>
#include <vector>

#include "drom/drom.hpp"
#include "output/stats_report.hpp"

namespace drom::command {

/// A report, and the file that it is from.
struct StatsFile {
    std::string name;
    StatsReport report;
};

/// Returns one report. Applications of one job are one; so are those without a job that have the same name. Errors:
/// E_INVAL, when two files have the same process; the sentence begins with the file and the place.
Expected<StatsReport> merged(const std::vector<StatsFile>& files);

}  // namespace drom::command
