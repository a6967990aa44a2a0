// SPDX-License-Identifier: BSD-3-Clause
// report.hpp - one or several simulations as one HTML file that needs nothing else: tables, and figures with the
// commands that made them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/digest.hpp"

namespace drom::sim {

/// One simulation among those of a report.
struct Case {
    Digest digest;
    std::optional<std::size_t>
        baseline;          ///< which of the cases its digest was made against; none: it is one itself, or stands alone
    std::string label;     ///< empty: its policy and the parameters in which it differs from others of that policy
    std::string value;     ///< of ReportInput::varied; empty: not part of the sweep
    bool detailed = true;  ///< with heat maps, days and Gantt chart of its own
};

struct ReportInput {
    std::string title;    ///< empty: made of the workloads' names
    std::string command;  ///< the command line that makes this report again
    std::vector<Case> cases;
    std::string varied;                ///< name of the parameter that a sweep varies; empty: no sweep
    std::vector<std::string> repairs;  ///< what was done to the log, a sentence each
    /// Behind Setting::command: what makes a page of that case with the same figures.
    std::string page_options{};
};

/// Name of the parameter in Setting::parameters whose value is the execution model: cases that differ in nothing else
/// are drawn as bounds (thesis, figure 5.8).
constexpr const char* kModelParameter = "model";

/// Returns a page of its own. Figures without data do not appear. All texts are escaped. The same input gives the same
/// bytes. Cost: a few milliseconds, and a megabyte of text for each Gantt chart at its fullest.
std::string html_report(const ReportInput& input);

}  // namespace drom::sim
