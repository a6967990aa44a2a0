// SPDX-License-Identifier: BSD-3-Clause
// figure_heat.cpp - heat maps by nodes and run time of jobs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/svg.hpp"

namespace drom::sim {
namespace {

constexpr std::size_t kColumns = kRunClasses.size() + 1;
constexpr std::array<const char*, kColumns> kColumnNames = {"\u2264 1 min", "1\u201310 min", "10\u201360 min",
                                                            "1\u20134 h",   "4\u201312 h",   "12\u201324 h",
                                                            "1\u20133 d",   "> 3 d"};
constexpr double kLeft = 92, kTop = 44, kRow = 27;
constexpr double kCell = (kFigureWidth - kLeft - 8) / static_cast<double>(kColumns);
constexpr std::size_t kFewJobs = 10;  ///< fewer say little: their cells are pale
constexpr double kStrongest = 4;      ///< ratio with the strongest colour

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

/// Returns the colour of a ratio. Blue and orange stay apart for all common kinds of colour blindness; so do light and
/// dark.
Colour diverging(double ratio) {
    const double distance = ratio > 0 ? std::clamp(std::log2(ratio) / std::log2(kStrongest), -1.0, 1.0) : -1;
    return distance >= 0 ? between(kEven, kBetter, distance) : between(kEven, kWorse, -distance);
}

bool is_dark(Colour colour) { return 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue < 140; }

std::string row_name(std::size_t row, std::int64_t machine) {
    if (row == 0) return "1 node";
    if (row == 1) return "2 nodes";
    const std::int64_t max = std::int64_t{1} << row;
    return fmt::format("{}\u2013{}", grouped(max / 2 + 1), grouped(max / 2 < machine ? std::min(max, machine) : max));
}

/// The number that a cell shows.
struct Shade {
    Colour colour;
    std::string number;
};

/// Returns how much better this case is: the baseline's mean divided by its own, as in the thesis.
Shade ratio_shade(double baseline, double here) {
    if (baseline == here) return {diverging(1), ratio_text(1)};
    if (here <= 0) return {diverging(kStrongest), "\u2192 0"};
    if (baseline <= 0) return {diverging(0), "0 \u2192"};
    return {diverging(baseline / here), ratio_text(baseline / here)};
}

/// The grid of one figure.
class HeatChart {
public:
    HeatChart(const Digest& digest, const std::string& title, const std::string& command)
        : svg_(kFigureWidth, title, command), digest_(digest) {}

    template <class ShadeOf>
    std::string draw(ShadeOf shade_of) {
        const auto& rows = digest_.heat.rows;
        name_columns();
        for (std::size_t row = 0; row < rows.size(); ++row) {
            svg_.text({kLeft - 10, y(row) + 18}, row_name(row, digest_.setting.nodes), {12, kInk, Anchor::kEnd});
            for (std::size_t column = 0; column < kColumns; ++column)
                if (rows[row][column].jobs > 0) draw_cell(row, column, shade_of(rows[row][column]));
        }
        return svg_.finish(kTop + static_cast<double>(rows.size()) * kRow + 8);
    }

private:
    static double x(std::size_t column) { return kLeft + static_cast<double>(column) * kCell; }
    /// Returns the position of a row: larger jobs are further up.
    double y(std::size_t row) const { return kTop + static_cast<double>(digest_.heat.rows.size() - 1 - row) * kRow; }

    void name_columns() {
        svg_.text({12, 36}, "nodes", {12, kSoft});
        svg_.text({kLeft, 16}, "static run time", {12, kSoft});
        for (std::size_t column = 0; column < kColumns; ++column)
            svg_.text({x(column) + kCell / 2, 36}, kColumnNames[column], {12, kInk, Anchor::kMiddle});
    }

    void draw_cell(std::size_t row, std::size_t column, const Shade& shade) {
        const std::string fill = hex(shade.colour);
        const std::string jobs = grouped(static_cast<std::int64_t>(digest_.heat.rows[row][column].jobs));
        const bool few = digest_.heat.rows[row][column].jobs < kFewJobs;
        const Paint ink = few ? kInk : Paint{"", is_dark(shade.colour) ? "#ffffff" : "#1f2933"};
        svg_.box(x(column) + 1, y(row) + 1, kCell - 2, kRow - 2, {"", fill}, few ? "fill-opacity=\"0.35\"" : "");
        svg_.text({x(column) + 8, y(row) + 18}, shade.number, {13, ink, Anchor::kStart, true});
        svg_.text({x(column) + kCell - 8, y(row) + 18}, jobs, {10.5, ink, Anchor::kEnd});
    }

    Svg svg_;
    const Digest& digest_;
};

/// The quantity that is compared, and its place in a cell.
struct Measure {
    const char* name;
    const char* definition;
    double HeatCell::* here;
    double HeatCell::* there;
};

constexpr std::array<Measure, 3> kMeasures = {
    {{"slowdown", "response / static run time", &HeatCell::slowdown, &HeatCell::baseline_slowdown},
     {"run time", "end \u2212 start", &HeatCell::run, &HeatCell::baseline_run},
     {"wait", "start \u2212 submit", &HeatCell::wait, &HeatCell::baseline_wait}}};

Figure ratio_figure(const Digest& digest, const Measure& measure, const std::string& baseline,
                    const std::string& command) {
    Figure figure;
    figure.title = fmt::format("Ratio of {} by size and length of jobs", measure.name);
    figure.svg = HeatChart(digest, figure.title, command).draw([&](const HeatCell& cell) {
        return ratio_shade(cell.*measure.there, cell.*measure.here);
    });
    figure.caption = fmt::format(
        "Mean {} ({}) under {} divided by that under this policy, for jobs of one class. Above 1, blue: better "
        "than the baseline; below 1, orange: worse; colours end at a ratio of {:.0f}. \"\u2192 0\": fell to 0; \"0 "
        "\u2192\": rose from 0. The small number is how many jobs are in the class; pale: fewer than {}.",
        measure.name, measure.definition, baseline, kStrongest, kFewJobs);
    figure.command = command;
    return figure;
}

/// Draws the mean slowdown, coloured by its order of magnitude.
Figure slowdown_figure(const Digest& digest, const std::string& command) {
    double max = 1;
    for (const auto& row : digest.heat.rows)
        for (const HeatCell& cell : row) max = std::max(max, cell.slowdown);
    Figure figure;
    figure.title = "Mean slowdown by size and length of jobs";
    figure.svg = HeatChart(digest, figure.title, command).draw([&](const HeatCell& cell) {
        const double share = max > 1 ? std::log(std::max(1.0, cell.slowdown)) / std::log(max) : 0;
        return Shade{between(kEven, kMuch, std::clamp(share, 0.0, 1.0)), readable(cell.slowdown)};
    });
    figure.caption = fmt::format(
        "Mean slowdown (response / static run time) of the jobs of one class; darker is more, by the logarithm. "
        "The small number is how many jobs are in the class; pale: fewer than {}.",
        kFewJobs);
    figure.command = command;
    return figure;
}

}  // namespace

std::vector<Figure> heat_figures(const ReportInput& input, std::size_t number) {
    const Digest& digest = input.cases[number].digest;
    const std::string command = command_of(input, number);
    if (digest.heat.rows.empty()) return {};
    if (!digest.heat.against_baseline) return {slowdown_figure(digest, command)};
    const auto baseline = baseline_of(input, number);
    const std::string name = baseline ? case_labels(input)[*baseline] : "the baseline";
    std::vector<Figure> figures;
    figures.reserve(kMeasures.size());
    for (const Measure& measure : kMeasures) figures.push_back(ratio_figure(digest, measure, name, command));
    return figures;
}

}  // namespace drom::sim
