// SPDX-License-Identifier: BSD-3-Clause
// figure_days.cpp - slowdown day by day, and on which days jobs shared nodes.
#include <algorithm>

#include "report/axis.hpp"
#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/plot.hpp"

namespace drom::sim {
namespace {

constexpr Seconds kDay = 86400;
constexpr double kLeft = 76, kRight = kFigureWidth - 16;
constexpr double kTop = 62, kBottom = 262;               // slowdown
constexpr double kStartsTop = 306, kStartsBottom = 390;  // malleable starts

class DayChart {
public:
    DayChart(const std::vector<Day>& days, const std::vector<Day>* baseline, Seconds zero, std::string title,
             std::string command)
        : svg_(kFigureWidth, std::move(title), std::move(command)), days_(days), baseline_(baseline), zero_(zero) {
        first_ = days.front().day;
        last_ = days.back().day;
        if (baseline != nullptr && !baseline->empty()) {
            first_ = std::min(first_, baseline->front().day);
            last_ = std::max(last_, baseline->back().day);
        }
        x_ = {static_cast<double>(first_) - 0.5, static_cast<double>(last_) + 0.5, kLeft, kRight};
    }

    std::string draw(const std::string& label, const std::string& baseline_label) {
        const Scale y = slowdown_axis();
        if (baseline_ != nullptr) draw_line(*baseline_, y, kGrey);
        draw_line(days_, y, kBlue);
        legend(label, baseline_label);
        const bool starts =
            std::any_of(days_.begin(), days_.end(), [](const Day& day) { return day.malleable_starts > 0; });
        if (starts) draw_starts();
        const double bottom = starts ? kStartsBottom : kBottom;
        draw_marks(svg_, {kLeft, kRight, kTop, bottom}, x_, day_marks(first_, last_, 12, zero_));
        const std::string name =
            zero_ > 0 ? time_label(first_ * kDay, last_ * kDay, zero_) : "day since the log's zero";
        svg_.text({kRight, bottom + 38}, name, {12, kSoft, Anchor::kEnd});
        return svg_.finish(bottom + 48);
    }

private:
    Scale slowdown_axis() {
        double max = 0;
        for (const Day& day : days_) max = std::max(max, day.slowdown);
        if (baseline_ != nullptr)
            for (const Day& day : *baseline_) max = std::max(max, day.slowdown);
        return draw_value_axis(svg_, {kLeft, kRight, kTop, kBottom}, max, 5);
    }

    /// Draws the line. Days without jobs interrupt it; a day alone is a dot.
    void draw_line(const std::vector<Day>& days, const Scale& y, Paint paint) {
        std::vector<Point> run;
        Seconds before = 0;
        const auto end_run = [&] {
            if (run.size() > 1) svg_.polyline(run, paint, "stroke-width=\"1.8\" stroke-linejoin=\"round\"");
            if (run.size() == 1) svg_.disc(run.front(), 3, paint);
            run.clear();
        };
        for (const Day& day : days) {
            if (day.jobs == 0) continue;
            if (!run.empty() && day.day != before + 1) end_run();
            run.push_back({x_(static_cast<double>(day.day)), y(day.slowdown)});
            before = day.day;
        }
        end_run();
    }

    void draw_starts() {
        std::size_t max = 0;
        for (const Day& day : days_) max = std::max(max, day.malleable_starts);
        svg_.text({kLeft, kStartsTop - 12}, "malleable starts a day", {13, kInk, Anchor::kStart, true});
        const Scale y = draw_value_axis(svg_, {kLeft, kRight, kStartsTop, kStartsBottom},
                                        static_cast<double>(std::max<std::size_t>(2, max)), 2);
        const double width = std::clamp((x_(1) - x_(0)) * 0.8, 0.6, 40.0);
        for (const Day& day : days_) {
            if (day.malleable_starts == 0) continue;
            const double top = y(static_cast<double>(day.malleable_starts));
            svg_.box(x_(static_cast<double>(day.day)) - width / 2, top, width, kStartsBottom - top, kOrange);
        }
    }

    void legend(const std::string& label, const std::string& baseline_label) {
        svg_.text({kLeft, 20}, "mean slowdown of the jobs submitted that day", {13, kInk, Anchor::kStart, true});
        Legend legend(svg_, kLeft, 38);
        if (baseline_ != nullptr) legend.add(baseline_label, kGrey);
        legend.add(label, kBlue);
    }

    Svg svg_;
    const std::vector<Day>& days_;
    const std::vector<Day>* baseline_;
    const Seconds zero_;
    Seconds first_ = 0, last_ = 0;
    Scale x_;
};

}  // namespace

std::optional<Figure> days_figure(const ReportInput& input, std::size_t number) {
    const Case& of = input.cases[number];
    const auto baseline = baseline_of(input, number);
    if (of.digest.days.size() < 2) return std::nullopt;
    const std::vector<std::string> labels = case_labels(input);
    Figure figure;
    figure.title = "Slowdown and malleable starts per day";
    DayChart chart(of.digest.days, baseline ? &input.cases[*baseline].digest.days : nullptr,
                   of.digest.setting.provenance.zero, figure.title, command_of(input, number));
    figure.svg = chart.draw(labels[number], baseline ? labels[*baseline] : "");
    figure.caption =
        "Lines: mean slowdown (response / static run time) of the jobs submitted on each day; a day "
        "without jobs interrupts them. Columns, where there are any: jobs that started on nodes of running ones on "
        "that day.";
    figure.command = command_of(input, number);
    return figure;
}

}  // namespace drom::sim
