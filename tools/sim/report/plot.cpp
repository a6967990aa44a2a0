// SPDX-License-Identifier: BSD-3-Clause
// plot.cpp - axes and legends.
#include "report/plot.hpp"

#include <algorithm>

namespace drom::sim {

Scale draw_value_axis(Svg& svg, const Panel& panel, double max, int steps) {
    const std::vector<Mark> marks = marks_from_zero(max, steps);
    const Scale y{0, marks.back().number, panel.bottom, panel.top};
    for (const Mark& mark : marks) {
        svg.line({panel.left, y(mark.number)}, {panel.right, y(mark.number)}, kLine,
                 mark.number > 0 ? "stroke-dasharray=\"2 4\"" : "");
        svg.text({panel.left - 8, y(mark.number) + 4}, mark.text, {12, kSoft, Anchor::kEnd});
    }
    return y;
}

void draw_marks(Svg& svg, const Panel& panel, const Scale& x, const std::vector<Mark>& marks) {
    constexpr double kApart = 6;
    double free_from = 0;
    for (const Mark& mark : marks) {
        const double at = x(mark.number), width = text_width(mark.text);
        svg.line({at, panel.bottom}, {at, panel.bottom + 5}, kSoft);
        const double left = std::min(at - width / 2, svg.width() - width);
        if (left < free_from) continue;
        svg.text({left + width / 2, panel.bottom + 19}, mark.text, {12, kSoft, Anchor::kMiddle});
        free_from = left + width + kApart;
    }
}

Point Legend::place(const std::string& text) {
    constexpr double kSample = 28, kApart = 20, kMaxText = 400;
    const std::string shown = fitting(text, kMaxText);
    const double width = kSample + text_width(shown);
    if (x_ > left_ && x_ + width > svg_.width()) x_ = left_, y_ += 20;
    const Point begin{x_, y_};
    svg_.text({x_ + kSample, y_ + 4}, shown, text, {12});
    x_ += width + kApart;
    return begin;
}

void Legend::add(const std::string& text, Paint paint) {
    const Point at = place(text);
    svg_.box(at.x, at.y - 2, 22, 4, paint);
}

void Legend::add_dashed(const std::string& text) {
    const Point at = place(text);
    svg_.line(at, {at.x + 22, at.y}, kSoft, "stroke-dasharray=\"5 3\"");
}

}  // namespace drom::sim
