// SPDX-License-Identifier: BSD-3-Clause
// figure.hpp - the figures of a report. Each is drawn only when there is something to show.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "report/svg.hpp"

namespace drom::sim {

struct Figure {
    std::string title;
    std::string svg;
    std::string caption;  ///< what it shows, in which units
    std::string command;  ///< that made it
};

constexpr double kFigureWidth = 960;  ///< pixels
/// Of lines, one after the other.
constexpr std::array<Paint, 6> kLines = {kBlue, kOrange, kGreen, kViolet, kRed, kGrey};

/// Draws makespan, mean response and mean slowdown of every case that has a baseline, normalised to it (thesis, figures
/// 5.1 to 5.3).
std::optional<Figure> comparison_figure(const ReportInput& input);

/// Draws the same for cases that differ only in the execution model (figure 5.8).
std::optional<Figure> models_figure(const ReportInput& input);

/// Draws mean slowdown and response over the varied parameter.
std::optional<Figure> sweep_figure(const ReportInput& input);

/// Draws ratios of slowdown, run time and wait to the baseline's by size and length of jobs (figures 5.4 to 5.6);
/// without a baseline the mean slowdown.
std::vector<Figure> heat_figures(const ReportInput& input, std::size_t number);

/// Draws shares of the jobs by wait and by slowdown, a line per case, of the first kLines.size() of them.
std::optional<Figure> distributions_figure(const ReportInput& input);

/// Draws utilisation over time, beside that of the baseline.
std::optional<Figure> utilisation_figure(const ReportInput& input, std::size_t number);

/// Draws the mean slowdown of the jobs submitted on each day, beside that of the baseline, and malleable starts (figure
/// 5.7).
std::optional<Figure> days_figure(const ReportInput& input, std::size_t number);

/// Draws nodes over time: which job had which cores.
std::optional<Figure> gantt_figure(const ReportInput& input, std::size_t number);

}  // namespace drom::sim
