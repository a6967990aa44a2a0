// SPDX-License-Identifier: BSD-3-Clause
// svg.hpp - a drawing as SVG text that stands alone: cut out of a report it keeps its colours, its title and the
// command that made it.
//
// Colours of text, lines and paper are classes, so that a page can turn them for dark screens; colours of data are the
// same on both, and are those of the other pictures of the project.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drom::sim {

/// A colour: of a class where it has one.
struct Paint {
    std::string_view name;  ///< of the class; may be empty
    std::string_view colour;
};

constexpr Paint kInk{"ink", "#1f2933"}, kSoft{"soft", "#616e7c"}, kLine{"line", "#cbd2d9"}, kFree{"free", "#f1f4f8"},
    kPaper{"paper", "#ffffff"};
constexpr Paint kBlue{"", "#2f6fb0"}, kOrange{"", "#e07b1a"}, kGreen{"", "#2d8a6e"}, kViolet{"", "#6b4fa0"},
    kRed{"", "#a83a5b"}, kGrey{"", "#8793a0"};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
    double size = 12;
    Paint paint = kInk;
    Anchor anchor = Anchor::kStart;
    bool bold = false;
};

struct Point {
    double x = 0, y = 0;
};

/// Escapes for XML and HTML, in text and in attributes. Bytes that are no character of XML become U+FFFD.
std::string escaped(std::string_view text);

/// Returns the pixels that `text` takes at most, about.
double text_width(std::string_view text, double size = 12);

/// Returns the same of bold text.
double bold_width(std::string_view text, double size = 12);

/// Returns `text`, or as much of its beginning as fits into `width` with an ellipsis.
std::string fitting(std::string_view text, double width, double size = 12);

/// Coordinates are pixels, and are written to a tenth of one; what is not finite is written as 0.
class Svg {
public:
    Svg(double width, std::string title, std::string description);

    double width() const noexcept { return width_; }
    void box(double x, double y, double width, double height, Paint fill, std::string_view more = {});
    void line(Point from, Point to, Paint stroke, std::string_view more = {});
    void polyline(std::span<const Point> points, Paint stroke, std::string_view more = {});
    void disc(Point at, double radius, Paint fill);
    void text(Point at, std::string_view text, const TextStyle& style = {});
    /// Adds a text that shows `whole` when it is pointed at; for texts that were cut.
    void text(Point at, std::string_view text, std::string_view whole, const TextStyle& style);
    /// Begins a group: shapes until end_group() belong together, and show `title` when pointed at.
    void begin_group(std::string_view title);
    void end_group();
    /// Adds one of many rectangles that are one element: add them all, then paint them.
    void add_to_path(double x, double y, double width, double height);
    void paint_path(Paint fill, std::string_view more = {});

    /// Returns the whole drawing.
    std::string finish(double height) const;

private:
    double width_;
    std::string title_, description_, body_, path_;
};

}  // namespace drom::sim
