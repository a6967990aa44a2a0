// SPDX-License-Identifier: BSD-3-Clause
// figure_heat.cpp - heat maps by nodes and run time of jobs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "figure.hpp"
#include "labels.hpp"
#include "numbers.hpp"
#include "svg.hpp"

namespace drom::sim {
namespace {

constexpr std::size_t kColumns = kRunClasses.size() + 1;
constexpr std::array<const char*, kColumns> kColumnNames = {"\u2264 1 min", "1\u201310 min", "10\u201360 min",
                                                            "1\u20134 h",   "4\u201312 h",   "12\u201324 h",
                                                            "1\u20133 d",   "> 3 d"};
constexpr double kLeft = 92, kTop = 44, kRow = 27;
constexpr double kCell = (kFigureWidth - kLeft - 8) / static_cast<double>(kColumns);
constexpr double kStrongest = 4;  ///< ratio with the strongest colour

struct Colour {
    double red = 0, green = 0, blue = 0;
};

constexpr Colour kBetter{31, 95, 168}, kEven{236, 239, 243}, kWorse{201, 101, 12}, kMuch{92, 62, 145};

Colour between(Colour a, Colour b, double share) {
    return {a.red + share * (b.red - a.red), a.green + share * (b.green - a.green), a.blue + share * (b.blue - a.blue)};
}

std::string hex(Colour colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", std::lround(colour.red), std::lround(colour.green),
                       std::lround(colour.blue));
}

/// Blue and orange stay apart for all common kinds of colour blindness; so do light and dark.
Colour diverging(double ratio) {
    const double distance = ratio > 0 ? std::clamp(std::log2(ratio) / std::log2(kStrongest), -1.0, 1.0) : -1;
    return distance >= 0 ? between(kEven, kBetter, distance) : between(kEven, kWorse, -distance);
}

bool is_dark(Colour colour) { return 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue < 140; }

std::string row_name(std::size_t row, std::int64_t machine) {
    if (row == 0) return "1 node";
    if (row == 1) return "2 nodes";
    const std::int64_t most = std::int64_t{1} << row;
    return fmt::format("{}\u2013{}", grouped(most / 2 + 1),
                       grouped(most / 2 < machine ? std::min(most, machine) : most));
}

/// What a cell shows.
struct Shade {
    Colour colour;
    std::string number;
};

/// How much better than the baseline: its mean divided by this one's, as in the thesis.
Shade ratio_shade(double baseline, double here) {
    if (baseline == here) return {diverging(1), ratio_text(1)};
    if (here <= 0) return {diverging(kStrongest), "\u2192 0"};
    if (baseline <= 0) return {diverging(0), "0 \u2192"};
    return {diverging(baseline / here), ratio_text(baseline / here)};
}

template <class ShadeOf>
std::string draw(const Digest& digest, const std::string& title, ShadeOf shade_of) {
    const HeatMap& map = digest.heat;
    Svg svg(kFigureWidth, title, digest.setting.command);
    const std::size_t rows = map.rows.size();
    svg.text({kLeft, 16}, "static run time", {12, kSoft});
    for (std::size_t column = 0; column < kColumns; ++column)
        svg.text({kLeft + (static_cast<double>(column) + 0.5) * kCell, 36}, kColumnNames[column],
                 {12, kInk, Anchor::kMiddle});
    for (std::size_t row = 0; row < rows; ++row) {
        const double y = kTop + static_cast<double>(rows - 1 - row) * kRow;
        svg.text({kLeft - 10, y + 18}, row_name(row, digest.setting.nodes), {12, kInk, Anchor::kEnd});
        for (std::size_t column = 0; column < kColumns; ++column) {
            const HeatCell& cell = map.rows[row][column];
            const double x = kLeft + static_cast<double>(column) * kCell;
            if (cell.jobs == 0) continue;
            const Shade shade = shade_of(cell);
            const std::string fill = hex(shade.colour);
            const Paint ink{"", is_dark(shade.colour) ? "#ffffff" : "#1f2933"};
            svg.box(x + 1, y + 1, kCell - 2, kRow - 2, {"", fill});
            svg.text({x + 8, y + 18}, shade.number, {13, ink, Anchor::kStart, true});
            svg.text({x + kCell - 8, y + 18}, grouped(static_cast<std::int64_t>(cell.jobs)), {10.5, ink, Anchor::kEnd});
        }
    }
    svg.text({12, 36}, "nodes", {12, kSoft});
    return svg.finish(kTop + static_cast<double>(rows) * kRow + 8);
}

Figure ratio_figure(const Case& of, const std::string& baseline, const char* what, const char* definition,
                    double HeatCell::* here, double HeatCell::* there) {
    Figure figure;
    figure.title = fmt::format("Ratio of {} by size and length of jobs", what);
    figure.svg =
        draw(of.digest, figure.title, [&](const HeatCell& cell) { return ratio_shade(cell.*there, cell.*here); });
    figure.caption = fmt::format(
        "Mean {} ({}) under {} divided by that under this policy, for jobs of one class. Above 1, blue: better than "
        "the baseline; below 1, "
        "orange: worse; colours end at a ratio of {:.0f}. \"\u2192 0\": fell to 0; \"0 \u2192\": rose from 0. The "
        "small number is how many jobs are in the class.",
        what, definition, baseline, kStrongest);
    figure.command = of.digest.setting.command;
    return figure;
}

/// Colour by the order of magnitude.
Figure slowdown_figure(const Case& of) {
    double most = 1;
    for (const auto& row : of.digest.heat.rows)
        for (const HeatCell& cell : row) most = std::max(most, cell.slowdown);
    Figure figure;
    figure.title = "Mean slowdown by size and length of jobs";
    figure.svg = draw(of.digest, figure.title, [&](const HeatCell& cell) {
        const double share =
            most > 1 ? std::clamp(std::log(std::max(1.0, cell.slowdown)) / std::log(most), 0.0, 1.0) : 0;
        return Shade{between(kEven, kMuch, share), readable(cell.slowdown)};
    });
    figure.caption =
        "Mean slowdown (response / static run time) of the jobs of one class; darker is more, by the logarithm. The "
        "small number is how many "
        "jobs are in the class.";
    figure.command = of.digest.setting.command;
    return figure;
}

}  // namespace

std::vector<Figure> heat_figures(const ReportInput& input, std::size_t number) {
    const Case& of = input.cases[number];
    if (of.digest.heat.rows.empty()) return {};
    if (!of.digest.heat.against_baseline) return {slowdown_figure(of)};
    const auto number_of_baseline = baseline_of(input, number);
    const std::string baseline = number_of_baseline ? case_labels(input)[*number_of_baseline] : "the baseline";
    return {ratio_figure(of, baseline, "slowdown", "response / static run time", &HeatCell::slowdown,
                         &HeatCell::baseline_slowdown),
            ratio_figure(of, baseline, "run time", "end \u2212 start", &HeatCell::run, &HeatCell::baseline_run),
            ratio_figure(of, baseline, "wait", "start \u2212 submit", &HeatCell::wait, &HeatCell::baseline_wait)};
}

}  // namespace drom::sim
