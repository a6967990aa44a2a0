// SPDX-License-Identifier: BSD-3-Clause
// svg.cpp - shapes as elements.
#include "report/svg.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>

namespace drom::sim {
namespace {

constexpr std::string_view kStyle =
    ".ink{fill:#1f2933}.soft{fill:#616e7c}.free{fill:#f1f4f8}.paper{fill:#fff}.line{stroke:#cbd2d9}"
    "line.ink,polyline.ink{stroke:#1f2933}line.soft,polyline.soft{stroke:#616e7c}";

/// Returns a coordinate to a tenth of a pixel.
std::string at(double value) {
    if (!std::isfinite(value)) return "0";
    const auto tenths = std::llround(value * 10);
    if (tenths % 10 == 0) return std::to_string(tenths / 10);
    return fmt::format("{}{}.{}", tenths < 0 ? "-" : "", std::abs(tenths) / 10, std::abs(tenths) % 10);
}

std::string fill(Paint paint) {
    return paint.name.empty() ? fmt::format("fill=\"{}\"", paint.colour) : fmt::format("class=\"{}\"", paint.name);
}

std::string stroke(Paint paint) {
    return paint.name.empty() ? fmt::format("stroke=\"{}\"", paint.colour) : fmt::format("class=\"{}\"", paint.name);
}

std::string spaced(std::string_view more) { return more.empty() ? std::string() : " " + std::string(more); }

bool continues_character(char letter) { return (static_cast<unsigned char>(letter) & 0xC0) == 0x80; }

/// Returns the bytes of the UTF-8 character that begins at `text`; 0 when there is none.
std::size_t character_size(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t size = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
    if (size == 0 || size > text.size()) return 0;
    std::uint32_t code = size == 1 ? first : first & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if (!continues_character(text[i])) return 0;
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    const bool too_long = (size == 3 && code < 0x800) || (size == 4 && (code < 0x10000 || code > 0x10FFFF));
    const bool no_character = (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF;
    return too_long || no_character ? 0 : size;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        const char letter = text.front();
        if (letter == '&')
            safe += "&amp;";
        else if (letter == '<')
            safe += "&lt;";
        else if (letter == '>')
            safe += "&gt;";
        else if (letter == '"')
            safe += "&quot;";
        else if (letter == '\'')
            safe += "&#39;";
        else if (size == 0 || (size == 1 && letter < ' ' && letter != '\t' && letter != '\n') || letter == 0x7f)
            safe += "\ufffd";
        else
            safe += text.substr(0, size);
        text.remove_prefix(std::max<std::size_t>(1, size));
    }
    return safe;
}

double text_width(std::string_view text, double size) {
    std::size_t letters = 0;
    for (const char letter : text) letters += !continues_character(letter);
    return 0.6 * size * static_cast<double>(letters);
}

// Seven tenths of the size per letter: DejaVu Sans Bold, the widest font of the list that finish() writes.
double bold_width(std::string_view text, double size) { return text_width(text, size) * 7 / 6; }

std::string fitting(std::string_view text, double width, double size) {
    if (text_width(text, size) <= width) return std::string(text);
    while (!text.empty() && text_width(text, size) + size > width) {
        while (text.size() > 1 && continues_character(text.back())) text.remove_suffix(1);
        text.remove_suffix(1);
    }
    return text.empty() ? std::string() : std::string(text) + "\u2026";
}

Svg::Svg(double width, std::string title, std::string description)
    : width_(width), title_(std::move(title)), description_(std::move(description)) {}

void Svg::box(double x, double y, double width, double height, Paint paint, std::string_view more) {
    fmt::format_to(std::back_inserter(body_), "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}{}/>\n", at(x),
                   at(y), at(std::max(0.0, width)), at(std::max(0.0, height)), fill(paint), spaced(more));
}

void Svg::line(Point from, Point to, Paint paint, std::string_view more) {
    fmt::format_to(std::back_inserter(body_), "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}{}/>\n", at(from.x),
                   at(from.y), at(to.x), at(to.y), stroke(paint), spaced(more));
}

void Svg::polyline(std::span<const Point> points, Paint paint, std::string_view more) {
    body_ += "<polyline points=\"";
    for (std::size_t i = 0; i < points.size(); ++i)
        fmt::format_to(std::back_inserter(body_), "{}{},{}", i > 0 ? " " : "", at(points[i].x), at(points[i].y));
    fmt::format_to(std::back_inserter(body_), "\" {} style=\"fill:none\"{}/>\n", stroke(paint), spaced(more));
}

void Svg::disc(Point centre, double radius, Paint paint) {
    fmt::format_to(std::back_inserter(body_), "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", at(centre.x), at(centre.y),
                   at(radius), fill(paint));
}

void Svg::text(Point where, std::string_view text, const TextStyle& style) { this->text(where, text, {}, style); }

void Svg::text(Point where, std::string_view text, std::string_view whole, const TextStyle& style) {
    const std::string size = style.size == 12 ? std::string() : fmt::format(" font-size=\"{}\"", at(style.size));
    const std::string_view anchor = style.anchor == Anchor::kStart    ? ""
                                    : style.anchor == Anchor::kMiddle ? " text-anchor=\"middle\""
                                                                      : " text-anchor=\"end\"";
    const std::string title = whole.empty() || whole == text ? std::string() : "<title>" + escaped(whole) + "</title>";
    fmt::format_to(std::back_inserter(body_), "<text x=\"{}\" y=\"{}\" {}{}{}{}>{}{}</text>\n", at(where.x),
                   at(where.y), fill(style.paint), size, anchor, style.bold ? " font-weight=\"600\"" : "", title,
                   escaped(text));
}

void Svg::begin_group(std::string_view title) { body_ += "<g><title>" + escaped(title) + "</title>"; }

void Svg::end_group() { body_ += "</g>\n"; }

void Svg::add_to_path(double x, double y, double width, double height) {
    fmt::format_to(std::back_inserter(path_), "M{} {}h{}v{}h-{}z", at(x), at(y), at(std::max(0.0, width)),
                   at(std::max(0.0, height)), at(std::max(0.0, width)));
}

void Svg::paint_path(Paint paint, std::string_view more) {
    if (!path_.empty()) body_ += "<path d=\"" + path_ + "\" " + fill(paint) + spaced(more) + "/>";
    path_.clear();
}

std::string Svg::finish(double height) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-size=\"12\" "
        "font-family=\"system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif\" role=\"img\">\n"
        "<title>{2}</title>\n<desc>{3}</desc>\n<style>{4}</style>\n<rect width=\"{0}\" height=\"{1}\" "
        "class=\"paper\"/>\n{5}</svg>\n",
        at(width_), at(height), escaped(title_), escaped(description_), kStyle, body_);
}

}  // namespace drom::sim
