// SPDX-License-Identifier: BSD-3-Clause
// figure_utilisation.cpp - how much of the machine had a job, over time.
#include <fmt/format.h>

#include <algorithm>

#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/plot.hpp"

namespace drom::sim {
namespace {

constexpr Panel kPanel{60, kFigureWidth - 16, 56, 216};

void draw_steps(Svg& svg, const Utilisation& of, const Scale& x, const Scale& y, Paint paint) {
    std::vector<Point> points;
    Seconds from = of.from;
    for (const double share : of.shares) {
        const Seconds to = std::min(from + of.step, of.to);
        for (const Seconds time : {from, to}) points.push_back({x(static_cast<double>(time)), y(100 * share)});
        from = to;
    }
    svg.polyline(points, paint, "stroke-width=\"1.4\" stroke-linejoin=\"round\"");
}

}  // namespace

std::optional<Figure> utilisation_figure(const ReportInput& input, std::size_t number) {
    const Utilisation& here = input.cases[number].digest.utilisation;
    if (here.shares.size() < 2) return std::nullopt;
    const auto baseline = baseline_of(input, number);
    const Utilisation there = baseline ? input.cases[*baseline].digest.utilisation : Utilisation{};
    const Seconds zero = input.cases[number].digest.setting.provenance.zero;
    const std::vector<std::string> labels = case_labels(input);
    Figure figure;
    figure.title = "Utilisation over time";
    figure.command = command_of(input, number);
    Svg svg(kFigureWidth, figure.title, figure.command);
    svg.text({kPanel.left, 20}, "% of the nodes that had a job", {13, kInk, Anchor::kStart, true});
    Legend legend(svg, kPanel.left, 38);
    const Seconds from = there.shares.empty() ? here.from : std::min(here.from, there.from);
    const Seconds to = std::max(here.to, there.to);
    const Scale x{static_cast<double>(from), static_cast<double>(to), kPanel.left, kPanel.right};
    const Scale y = draw_value_axis(svg, kPanel, 100, 5);
    draw_marks(svg, kPanel, x, time_marks(from, to, 10, zero));
    if (baseline && !there.shares.empty()) {
        legend.add(labels[*baseline], kGrey);
        draw_steps(svg, there, x, y, kGrey);
    }
    legend.add(labels[number], kBlue);
    draw_steps(svg, here, x, y, kBlue);
    svg.text({kPanel.right, kPanel.bottom + 38}, time_label(from, to, zero), {12, kSoft, Anchor::kEnd});
    figure.svg = svg.finish(kPanel.bottom + 48);
    figure.caption = fmt::format(
        "Nodes that had a job, as means over {}. A node that jobs share counts once; together they have all of its "
        "cores.",
        duration(static_cast<double>(here.step)));
    return figure;
}

}  // namespace drom::sim
