// SPDX-License-Identifier: BSD-3-Clause
// report_tables.hpp - the tables of a report, as HTML.
#pragma once

#include <string>

#include "report/report.hpp"

namespace drom::sim {

/// Returns one row per case: the numbers that matter first.
std::string overview_table(const ReportInput& input);

/// Returns mean, percentiles and largest of each metric, one row per case.
std::string spread_table(const ReportInput& input);

/// Counts of what the machine did, and the jobs that are in no mean.
std::string machine_table(const ReportInput& input);

/// Returns the parameters that differ, one column per case; then those that are the same.
std::string parameter_tables(const ReportInput& input);

}  // namespace drom::sim
