// SPDX-License-Identifier: BSD-3-Clause
// figure_sweep.cpp - slowdown and response over a parameter that was varied.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "report/axis.hpp"
#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/numbers.hpp"
#include "report/plot.hpp"

namespace drom::sim {
namespace {

constexpr double kTop = 44, kBottom = 250, kGap = 84, kLeft = 72;
constexpr double kPanel = (kFigureWidth - kLeft - kGap - 20) / 2;
constexpr double kWidest = 20;  ///< largest value / smallest beyond which values stand evenly

/// Mean slowdown, and mean response in hours; or both as ratios.
struct Sample {
    double position = 0;
    bool is_number = true;  ///< the value; a word is joined with no other value
    std::array<double, 2> numbers{};
};

struct Series {
    std::string label;
    std::vector<Sample> samples;
};

std::optional<double> as_number(const std::string& text) {
    if (text.empty()) return std::nullopt;
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    while (*end == ' ' || *end == '%') ++end;
    if (*end != '\0' || !std::isfinite(number)) return std::nullopt;
    return number;
}

/// Where the values stand on the axis.
class Values {
public:
    explicit Values(const ReportInput& input) {
        for (const Case& of : input.cases)
            if (!of.value.empty() && std::find(texts_.begin(), texts_.end(), of.value) == texts_.end())
                texts_.push_back(of.value);
        sort_texts();
        find_numbers();
    }

    std::size_t count() const { return texts_.size(); }
    bool evenly() const { return numbers_.empty(); }
    double from() const { return evenly() ? -0.3 : min_; }
    double to() const { return evenly() ? static_cast<double>(texts_.size()) - 0.7 : max_; }

    double position(const std::string& value) const {
        const auto at = static_cast<std::size_t>(std::find(texts_.begin(), texts_.end(), value) - texts_.begin());
        return evenly() ? static_cast<double>(at) : numbers_[at];
    }

    std::vector<Mark> marks() const {
        std::vector<Mark> marks;
        marks.reserve(texts_.size());
        for (const std::string& text : texts_) marks.push_back({position(text), text});
        return marks;
    }

private:
    void find_numbers() {
        std::vector<double> numbers;
        for (const std::string& text : texts_)
            if (const auto number = as_number(text)) numbers.push_back(*number);
        if (numbers.size() < 2 || numbers.size() < texts_.size()) return;
        const auto [min, max] = std::minmax_element(numbers.begin(), numbers.end());
        double smallest = *max;
        for (const double number : numbers)
            if (number > 0) smallest = std::min(smallest, number);
        if (*min < 0 || *max > kWidest * smallest) return;
        min_ = *min;
        max_ = *max;
        numbers_ = std::move(numbers);
    }

    /// Puts numbers first, by size; words after them as they came.
    void sort_texts() {
        std::stable_sort(texts_.begin(), texts_.end(), [](const std::string& a, const std::string& b) {
            const auto first = as_number(a), second = as_number(b);
            return first && second ? *first < *second : first.has_value() && !second;
        });
    }

    std::vector<std::string> texts_;
    std::vector<double> numbers_;  // empty: the values stand evenly
    double min_ = 0, max_ = 1;
};

/// Returns whether cases of different workloads share a value: then only ratios can be drawn beside each other.
bool several_workloads(const ReportInput& input) {
    for (const Case& a : input.cases)
        for (const Case& b : input.cases)
            if (!a.value.empty() && a.value == b.value && a.digest.setting.workload != b.digest.setting.workload)
                return true;
    return false;
}

std::optional<Sample> sample_of(const ReportInput& input, std::size_t number, const Values& values, bool ratios) {
    const Metrics& metrics = input.cases[number].digest.metrics;
    if (metrics.jobs == 0) return std::nullopt;
    const std::string& value = input.cases[number].value;
    Sample sample{
        values.position(value), as_number(value).has_value(), {metrics.slowdown.mean, metrics.response.mean / 3600}};
    if (!ratios) return sample;
    const auto baseline = baseline_of(input, number);
    if (!baseline) return std::nullopt;
    const Metrics& theirs = input.cases[*baseline].digest.metrics;
    if (!(theirs.slowdown.mean > 0 && theirs.response.mean > 0)) return std::nullopt;
    sample.numbers = {metrics.slowdown.mean / theirs.slowdown.mean, metrics.response.mean / theirs.response.mean};
    return sample;
}

std::vector<Series> series_of(const ReportInput& input, const Values& values, bool ratios) {
    const std::vector<std::string> labels = case_labels(input, {input.varied});
    std::vector<Series> all;
    for (std::size_t i = 0; i < input.cases.size(); ++i) {
        const Case& of = input.cases[i];
        const auto sample = of.value.empty() ? std::nullopt : sample_of(input, i, values, ratios);
        if (!sample) continue;
        const std::string label = (ratios ? of.digest.setting.workload + ": " : "") + labels[i];
        auto at = std::find_if(all.begin(), all.end(), [&](const Series& series) { return series.label == label; });
        if (at == all.end()) at = all.insert(all.end(), Series{label, {}});
        at->samples.push_back(*sample);
    }
    for (Series& series : all)
        std::stable_sort(series.samples.begin(), series.samples.end(),
                         [](const Sample& a, const Sample& b) { return a.position < b.position; });
    return all;
}

/// Returns the baseline that all of the sweep are compared with, when it is one and not itself swept.
const Case* common_baseline(const ReportInput& input) {
    const Case* common = nullptr;
    for (std::size_t i = 0; i < input.cases.size(); ++i) {
        if (input.cases[i].value.empty()) continue;
        const auto number = baseline_of(input, i);
        if (!number) return nullptr;
        const Case& baseline = input.cases[*number];
        if (!baseline.value.empty() || (common != nullptr && common != &baseline)) return nullptr;
        common = &baseline;
    }
    return common;
}

class SweepChart {
public:
    SweepChart(const ReportInput& input, std::string title)
        : input_(input),
          svg_(kFigureWidth, std::move(title), input.command),
          values_(input),
          ratios_(several_workloads(input)) {
        series_ = series_of(input, values_, ratios_);
        if (ratios_) {
            baseline_ = Sample{0, true, {1, 1}};
        } else if (const Case* common = common_baseline(input); common != nullptr && common->digest.metrics.jobs > 0) {
            baseline_ =
                Sample{0, true, {common->digest.metrics.slowdown.mean, common->digest.metrics.response.mean / 3600}};
        }
    }

    bool empty() const { return values_.count() < 2 || series_.empty(); }
    bool ratios() const { return ratios_; }
    bool evenly() const { return values_.evenly(); }

    std::string draw() {
        draw_panel(0, kLeft, ratios_ ? "mean slowdown / baseline's" : "mean slowdown");
        draw_panel(1, kLeft + kPanel + kGap, ratios_ ? "mean response / baseline's" : "mean response, h");
        return svg_.finish(legend(kBottom + 62));
    }

private:
    void draw_panel(std::size_t number, double left, const char* title) {
        svg_.text({left, 20}, title, {13, kInk, Anchor::kStart, true});
        const Scale x{values_.from(), values_.to(), left + 6, left + kPanel - 6};
        const Scale y = axis(number, left);
        std::size_t at = 0;
        double free_from = 0;
        for (const Mark& mark : values_.marks()) {
            const double room = kPanel / static_cast<double>(std::max<std::size_t>(1, values_.count()));
            const std::string text = values_.evenly() ? fitting(mark.text, std::max(room, 30.0)) : mark.text;
            const double middle = x(mark.number), half = text_width(text) / 2;
            if (middle - half < free_from) continue;
            svg_.text({middle, kBottom + 18}, text, mark.text, {12, kSoft, Anchor::kMiddle});
            free_from = middle + half + 4;
        }
        svg_.text({left + kPanel / 2, kBottom + 38}, input_.varied, {12, kInk, Anchor::kMiddle});
        for (const Series& series : series_) draw_series(series, number, x, y, kLines[at++ % kLines.size()]);
    }

    Scale axis(std::size_t number, double left) {
        double max = baseline_ ? baseline_->numbers[number] : 0;
        for (const Series& series : series_)
            for (const Sample& sample : series.samples) max = std::max(max, sample.numbers[number]);
        const Scale y = draw_value_axis(svg_, {left, left + kPanel, kTop, kBottom}, max, 5);
        if (baseline_)
            svg_.line({left, y(baseline_->numbers[number])}, {left + kPanel, y(baseline_->numbers[number])}, kSoft,
                      "stroke-dasharray=\"5 3\"");
        return y;
    }

    void draw_series(const Series& series, std::size_t number, const Scale& x, const Scale& y, Paint paint) {
        std::vector<Point> line;
        for (const Sample& sample : series.samples) {
            const Point point{x(sample.position), y(sample.numbers[number])};
            svg_.disc(point, 3.5, paint);
            if (sample.is_number) line.push_back(point);
        }
        if (line.size() > 1) svg_.polyline(line, paint, "stroke-width=\"1.8\" stroke-linejoin=\"round\"");
    }

    /// Returns where the drawing ends.
    double legend(double y) {
        Legend legend(svg_, kLeft, y);
        std::size_t number = 0;
        if (baseline_) legend.add_dashed("baseline");
        for (const Series& series : series_) legend.add(series.label, kLines[number++ % kLines.size()]);
        return legend.bottom();
    }

    const ReportInput& input_;
    Svg svg_;
    const Values values_;
    const bool ratios_;
    std::vector<Series> series_;
    std::optional<Sample> baseline_;
};

}  // namespace

std::optional<Figure> sweep_figure(const ReportInput& input) {
    if (input.varied.empty()) return std::nullopt;
    Figure figure;
    figure.title = "Sweep over " + input.varied;
    SweepChart chart(input, figure.title);
    if (chart.empty()) return std::nullopt;
    figure.svg = chart.draw();
    figure.caption = fmt::format(
        "Mean slowdown (response / static run time) and mean response {}over {}{}. Dashed: the baseline, where "
        "there is one.",
        chart.ratios() ? "divided by the baseline's " : "in hours ", input.varied,
        chart.evenly() ? ", whose values stand at even distances; words are joined with no other value" : "");
    figure.command = input.command;
    return figure;
}

}  // namespace drom::sim
