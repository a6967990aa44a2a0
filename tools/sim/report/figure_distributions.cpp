// SPDX-License-Identifier: BSD-3-Clause
// figure_distributions.cpp - which share of the jobs waits for how long, and is slowed down how much.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/plot.hpp"

namespace drom::sim {
namespace {

constexpr double kTop = 44, kBottom = 270, kGap = 72, kLeft = 60;
constexpr double kPanel = (kFigureWidth - kLeft - kGap - 24) / 2;

/// Returns the position of a number: both axes are logarithmic, from 1 on.
double position(double number) { return std::log10(std::max(1.0, number)); }

std::vector<Mark> wait_marks() {
    constexpr Seconds kMinute = 60, kHour = 3600, kDay = 86400;
    return {{position(1), "1 s"},
            {position(10), "10 s"},
            {position(kMinute), "1 min"},
            {position(600), "10 min"},
            {position(kHour), "1 h"},
            {position(10 * kHour), "10 h"},
            {position(2 * kDay), "2 d"},
            {position(20 * kDay), "20 d"},
            {position(200 * kDay), "200 d"},
            {position(2000 * kDay), "2000 d"}};
}

std::vector<Mark> slowdown_marks() {
    std::vector<Mark> marks;
    for (int exponent = 0; exponent <= 12; ++exponent)
        marks.push_back({static_cast<double>(exponent), grouped(std::llround(std::pow(10, exponent)))});
    return marks;
}

/// Returns the marks up to the first at or beyond `max`; at least two.
std::vector<Mark> up_to(std::vector<Mark> marks, double max) {
    const auto beyond =
        std::find_if(marks.begin() + 1, marks.end(), [&](const Mark& mark) { return mark.number >= max; });
    if (beyond != marks.end()) marks.erase(beyond + 1, marks.end());
    return marks;
}

/// Returns the one case that others are compared with; nothing when there are several, or none.
std::optional<std::size_t> only_baseline(const ReportInput& input) {
    std::optional<std::size_t> only;
    for (std::size_t i = 0; i < input.cases.size(); ++i) {
        const std::optional<std::size_t> baseline = baseline_of(input, i);
        if (!baseline) continue;
        if (only && *only != *baseline) return std::nullopt;
        only = baseline;
    }
    return only;
}

/// Paints a baseline grey, as the figures do that show one beside a single simulation.
std::vector<Paint> line_paints(const std::vector<std::size_t>& cases, std::optional<std::size_t> baseline) {
    std::vector<Paint> paints;
    std::size_t next = 0;
    for (const std::size_t number : cases) paints.push_back(number == baseline ? kGrey : kLines[next++]);
    return paints;
}

class DistributionChart {
public:
    DistributionChart(const ReportInput& input, std::string title)
        : input_(input), svg_(kFigureWidth, std::move(title), input.command) {
        for (std::size_t i = 0; i < input.cases.size() && shown_.size() < kLines.size(); ++i)
            if (!input.cases[i].digest.distributions.wait.empty()) shown_.push_back(i);
        paints_ = line_paints(shown_, only_baseline(input));
    }

    bool empty() const { return shown_.empty(); }
    bool whole() const { return shown_.size() == input_.cases.size(); }

    std::string draw() {
        draw_panel(kLeft, "wait", wait_marks(), &Distributions::wait);
        draw_panel(kLeft + kPanel + kGap, "slowdown", slowdown_marks(), &Distributions::slowdown);
        Legend legend(svg_, kLeft, kBottom + 44);
        const std::vector<std::string> labels = case_labels(input_);
        for (std::size_t i = 0; i < shown_.size(); ++i) legend.add(name(shown_[i], labels), paints_[i]);
        return svg_.finish(legend.bottom());
    }

private:
    std::string name(std::size_t number, const std::vector<std::string>& labels) const {
        const bool several = workloads_of(input_).size() > 1;
        return (several ? input_.cases[number].digest.setting.workload + ": " : "") + labels[number];
    }

    void draw_panel(double left, const char* title, std::vector<Mark> marks, std::vector<double> Distributions::* of) {
        double max = 0;
        for (const std::size_t number : shown_)
            max = std::max(max, position((input_.cases[number].digest.distributions.*of).back()));
        marks = up_to(std::move(marks), max);
        const Panel panel{left, left + kPanel, kTop, kBottom};
        svg_.text({left, 20}, fmt::format("% of the jobs with at most this {}", title),
                  {13, kInk, Anchor::kStart, true});
        const Scale y = draw_value_axis(svg_, panel, 100, 5);
        const Scale x{0, marks.back().number, panel.left, panel.right};
        draw_marks(svg_, panel, x, marks);
        for (std::size_t i = 0; i < shown_.size(); ++i)
            draw_line(input_.cases[shown_[i]].digest.distributions.*of, x, y, paints_[i]);
    }

    /// Draws the line. The jobs at the left edge are one point: the line begins with their share.
    void draw_line(const std::vector<double>& quantiles, const Scale& x, const Scale& y, Paint paint) {
        std::vector<Point> points;
        for (std::size_t i = 0; i < quantiles.size(); ++i) {
            const double share = 100 * static_cast<double>(i) / static_cast<double>(kQuantiles);
            const Point point{x(position(quantiles[i])), y(share)};
            if (points.size() == 1 && point.x == points.front().x) points.clear();
            points.push_back(point);
        }
        points.push_back({x.last, points.back().y});
        svg_.polyline(points, paint, "stroke-width=\"1.8\" stroke-linejoin=\"round\"");
    }

    const ReportInput& input_;
    Svg svg_;
    std::vector<std::size_t> shown_;  ///< cases
    std::vector<Paint> paints_;       ///< in the same order
};

}  // namespace

std::optional<Figure> distributions_figure(const ReportInput& input) {
    Figure figure;
    figure.title = "Distribution of wait and slowdown";
    DistributionChart chart(input, figure.title);
    if (chart.empty()) return std::nullopt;
    figure.svg = chart.draw();
    figure.caption = fmt::format(
        "Cumulative distributions over the jobs that ended: a line that is higher is better. Both axes are "
        "logarithmic and begin at 1; a line begins with the share of the jobs that do not exceed 1 s or 1.{}",
        chart.whole() ? "" : fmt::format(" Shown are the first {} simulations.", kLines.size()));
    figure.command = input.command;
    return figure;
}

}  // namespace drom::sim
