// SPDX-License-Identifier: BSD-3-Clause
// figure_bars.cpp - bars that compare cases with their baselines: one row per case, one panel per metric.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/axis.hpp"
#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/svg.hpp"

namespace drom::sim {
namespace {

constexpr double kTop = 34, kRow = 24, kHeading = 26, kGap = 28, kNumber = 104;
// Left of a label, and between it and its bars. A margin of more than `kMaxMargin` would leave no room for the bars.
constexpr double kEdge = 12, kBeforeBars = 10, kMinMargin = 120, kMaxMargin = 300;
// Bold letters take a sixth more than fitting() counts.
constexpr double kWholeLine = (kFigureWidth - 2 * kEdge) * 6 / 7;

/// One metric of a case. `ratio` is to the baseline's; none where that is 0.
struct Bar {
    std::optional<double> ratio;
    std::string number;  ///< itself, with its unit
};

constexpr std::array<const char*, 3> kPanels = {"makespan", "mean response", "mean slowdown"};

struct BarRow {
    std::string label;
    std::array<Bar, kPanels.size()> bars;
    bool is_baseline = false;
};

struct BarGroup {
    std::string heading;  ///< may be empty
    std::vector<BarRow> rows;
};

std::optional<double> ratio(double number, double baseline) {
    if (!(baseline > 0)) return std::nullopt;
    return number / baseline;
}

BarRow row_of(std::string label, const Metrics& metrics, const Metrics& baseline, bool is_baseline) {
    const auto makespan = static_cast<double>(metrics.makespan);
    return {std::move(label),
            {Bar{ratio(makespan, static_cast<double>(baseline.makespan)), duration(makespan)},
             Bar{ratio(metrics.response.mean, baseline.response.mean), duration(metrics.response.mean)},
             Bar{ratio(metrics.slowdown.mean, baseline.slowdown.mean), readable(metrics.slowdown.mean)}},
            is_baseline};
}

/// Returns the margin that the label of a row needs.
double margin_for(const BarRow& row) {
    const double width = row.is_baseline ? bold_width(row.label) : text_width(row.label);
    return kEdge + width + kBeforeBars;
}

/// Returns whether the label of a row stands left of its bars. A longer one has a line of its own above them, because
/// the ends of two labels may be all that differs.
bool is_beside(const BarRow& row) { return margin_for(row) <= kMaxMargin; }

class BarChart {
public:
    BarChart(std::string title, std::string command, const std::vector<BarGroup>& groups)
        : svg_(kFigureWidth, std::move(title), std::move(command)), groups_(groups) {
        for (const BarGroup& group : groups)
            for (const BarRow& row : group.rows)
                if (is_beside(row)) margin_ = std::max(margin_, margin_for(row));
        panel_ = (kFigureWidth - margin_ - 2 * kGap) / static_cast<double>(kPanels.size());
    }

    std::string draw() {
        double y = kTop;
        for (const BarGroup& group : groups_) {
            if (!group.heading.empty())
                svg_.text({kEdge, y + 17}, fitting(group.heading, kWholeLine, 13), group.heading,
                          {13, kInk, Anchor::kStart, true});
            if (!group.heading.empty()) y += kHeading;
            for (const BarRow& row : group.rows) y = draw_row(row, y);
            y += 8;
        }
        for (std::size_t panel = 0; panel < kPanels.size(); ++panel)
            svg_.text({left(panel), 20}, kPanels[panel], {13, kInk, Anchor::kStart, true});
        return svg_.finish(y);
    }

private:
    double left(std::size_t panel) const { return margin_ + static_cast<double>(panel) * (panel_ + kGap); }

    Scale scale(std::size_t panel) const {
        double max = 1;
        for (const BarGroup& group : groups_)
            for (const BarRow& row : group.rows) max = std::max(max, row.bars[panel].ratio.value_or(0));
        return {0, max, left(panel), left(panel) + panel_ - kNumber};
    }

    double one(std::size_t panel) const { return scale(panel)(1); }

    static Paint paint(double ratio) {
        if (std::abs(ratio - 1) < 0.005) return kGrey;
        return ratio < 1 ? kBlue : kOrange;
    }

    /// Draws the label, and returns where the bars of the row begin.
    double draw_label(const BarRow& row, double y) {
        if (is_beside(row)) {
            svg_.text({margin_ - kBeforeBars, y + 16}, row.label, {12, kInk, Anchor::kEnd, row.is_baseline});
            return y;
        }
        svg_.text({kEdge, y + 16}, fitting(row.label, kWholeLine), row.label,
                  {12, kInk, Anchor::kStart, row.is_baseline});
        return y + kRow - 4;
    }

    double draw_row(const BarRow& row, double top) {
        const double y = draw_label(row, top);
        for (std::size_t panel = 0; panel < kPanels.size(); ++panel) {
            draw_bar(row, panel, y);
            svg_.line({one(panel), y}, {one(panel), y + kRow}, kSoft, "stroke-dasharray=\"5 3\"");
        }
        return y + kRow;
    }

    void draw_bar(const BarRow& row, std::size_t panel, double y) {
        const Bar& bar = row.bars[panel];
        const Scale x = scale(panel);
        if (!bar.ratio) {
            svg_.text({x.first + 4, y + 16}, bar.number, {12, kSoft});
            return;
        }
        const double end = x(*bar.ratio);
        svg_.box(x.first, y + 4, std::max(1.0, end - x.first), 16, paint(*bar.ratio));
        const std::string number = ratio_text(*bar.ratio);
        const double width = 12 + text_width(number) + text_width(bar.number, 11);
        const bool on_line = end <= one(panel) && end + width > one(panel);
        const double beside = (on_line ? one(panel) : end) + 6;
        svg_.text({beside, y + 16}, number, {12, kInk, Anchor::kStart, true});
        svg_.text({beside + text_width(number) + 6, y + 16}, bar.number, {11, kSoft});
    }

    Svg svg_;
    const std::vector<BarGroup>& groups_;
    double margin_ = kMinMargin, panel_ = 0;
};

/// Returns the cases of one workload that have a baseline, each baseline before the first that is compared with it.
BarGroup compared(const ReportInput& input, const std::vector<std::string>& labels, const std::string& workload) {
    BarGroup group;
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < input.cases.size(); ++i) {
        const auto baseline = baseline_of(input, i);
        if (input.cases[i].digest.setting.workload != workload || !baseline) continue;
        const Metrics& theirs = input.cases[*baseline].digest.metrics;
        if (theirs.jobs == 0) continue;
        if (std::find(drawn.begin(), drawn.end(), *baseline) == drawn.end() && !baseline_of(input, *baseline)) {
            drawn.push_back(*baseline);
            group.rows.push_back(row_of(labels[*baseline], theirs, theirs, true));
        }
        group.rows.push_back(row_of(labels[i], input.cases[i].digest.metrics, theirs, false));
    }
    return group;
}

std::vector<BarGroup> compared(const ReportInput& input) {
    const std::vector<std::string> labels = case_labels(input);
    const std::vector<std::string> workloads = workloads_of(input);
    std::vector<BarGroup> groups;
    for (const std::string& workload : workloads) {
        BarGroup group = compared(input, labels, workload);
        if (group.rows.empty()) continue;
        if (workloads.size() > 1) group.heading = workload;
        groups.push_back(std::move(group));
    }
    return groups;
}

/// Returns all of a setting but its model.
std::string without_model(const Case& of) {
    std::string text = of.digest.setting.workload + '\n' + of.digest.setting.policy;
    for (const auto& [name, value] : of.digest.setting.parameters)
        if (name != kModelParameter) text.append("\n").append(name).append("=").append(value);
    return text;
}

std::vector<BarGroup> by_model(const ReportInput& input) {
    const std::vector<std::string> labels = case_labels(input, {kModelParameter});
    std::map<std::string, std::vector<std::size_t>> alike;
    std::vector<std::string> order;
    for (std::size_t i = 0; i < input.cases.size(); ++i) {
        if (parameter(input.cases[i].digest.setting, kModelParameter).empty()) continue;
        std::string key = without_model(input.cases[i]);
        if (!alike.contains(key)) order.push_back(key);
        alike[std::move(key)].push_back(i);
    }
    std::vector<BarGroup> groups;
    for (const std::string& key : order) {
        const std::vector<std::size_t>& cases = alike[key];
        // Where no job ran on fewer cores there is nothing that a model could change.
        const auto shared = [&](std::size_t number) { return input.cases[number].digest.metrics.malleable_starts > 0; };
        if (cases.size() < 2 || std::none_of(cases.begin(), cases.end(), shared)) continue;
        const Case& first = input.cases[cases.front()];
        BarGroup group{first.digest.setting.workload + ": " + labels[cases.front()], {}};
        for (const std::size_t number : cases) {
            const Case& of = input.cases[number];
            const Case& to = input.cases[baseline_of(input, number).value_or(cases.front())];
            group.rows.push_back(row_of(std::string(parameter(of.digest.setting, kModelParameter)), of.digest.metrics,
                                        to.digest.metrics, false));
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

std::optional<Figure> bars(const ReportInput& input, std::string title, std::string caption,
                           const std::vector<BarGroup>& groups) {
    if (groups.empty()) return std::nullopt;
    std::string svg = BarChart(title, input.command, groups).draw();
    return Figure{std::move(title), std::move(svg), std::move(caption), input.command};
}

}  // namespace

std::optional<Figure> comparison_figure(const ReportInput& input) {
    return bars(
        input, "Against the baseline",
        "Makespan (last end \u2212 first start), mean response (end \u2212 submit) and mean slowdown (response / "
        "static run time), each divided by that of the baseline (dashed line). Blue: better; orange: worse; grey: "
        "the baseline, or within 0.5 % of it. The small numbers are the values themselves.",
        compared(input));
}

std::optional<Figure> models_figure(const ReportInput& input) {
    return bars(
        input, "By the model of run times",
        "The same policy under different models of how fast a job runs on fewer cores. ideal: work advances at the "
        "mean share of cores over the job's nodes; worst: at the smallest share. Divided by the static baseline, "
        "or by the first model where there is none.",
        by_model(input));
}

}  // namespace drom::sim
