// SPDX-License-Identifier: BSD-3-Clause
// plot.hpp - what the line charts of a report have in common: axes, and a legend whose texts do not collide.
#pragma once

#include <string>
#include <vector>

#include "report/axis.hpp"
#include "report/svg.hpp"

namespace drom::sim {

/// Where a chart is, in pixels.
struct Panel {
    double left = 0, right = 0, top = 0, bottom = 0;
};

/// Draws lines and numbers from 0 up to `max`, in at most `steps` steps. Returns the scale.
Scale draw_value_axis(Svg& svg, const Panel& panel, double max, int steps);

/// Writes the marks below the panel, without those that would touch the one before or the edge of the drawing.
void draw_marks(Svg& svg, const Panel& panel, const Scale& x, const std::vector<Mark>& marks);

/// Lines with names, from left to right; a row that is full goes on in the next.
class Legend {
public:
    Legend(Svg& svg, double left, double y) : svg_(svg), left_(left), x_(left), y_(y) {}

    void add(const std::string& text, Paint paint);
    /// Adds a dashed line.
    void add_dashed(const std::string& text);
    double bottom() const noexcept { return y_ + 16; }

private:
    /// Writes the text. Returns where its line begins.
    Point place(const std::string& text);

    Svg& svg_;
    double left_, x_, y_;
};

}  // namespace drom::sim
