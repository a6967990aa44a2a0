// SPDX-License-Identifier: BSD-3-Clause
// swf_row.cpp - one line of a log cut into fields, and where each dialect keeps what.
#include "workload/swf/swf_row.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace drom::sim::swf {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

Number read_fraction(const char* begin, const char* end) {
    double value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (rest != end || (error == std::errc() && !std::isfinite(value))) return {Number::Form::kText, -1};
    // Beyond 2^62 the difference does not matter, and the conversion would be undefined.
    if (error == std::errc::result_out_of_range || std::fabs(value) > 0x1p62)
        return {Number::Form::kHuge,
                *begin == '-' ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max()};
    if (error != std::errc()) return {Number::Form::kText, -1};
    return {Number::Form::kFraction, std::llround(value)};
}

constexpr std::int16_t kNone = Dialect::kNone;

}  // namespace

const char* name_of(Column column) {
    static constexpr std::array<const char*, kColumns> kNames = {"job number",
                                                                 "submit time",
                                                                 "wait time",
                                                                 "run time",
                                                                 "number of allocated processors",
                                                                 "number of requested processors",
                                                                 "requested time",
                                                                 "requested memory",
                                                                 "status",
                                                                 "user",
                                                                 "group",
                                                                 "application",
                                                                 "queue",
                                                                 "partition"};
    return kNames[column];
}

Number read_number(std::string_view text) {
    if (text.empty()) return {};
    const char *begin = text.data(), *end = begin + text.size();
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc() && rest == end) return {Number::Form::kWhole, value};
    return read_fraction(begin, end);
}

const Dialect& standard_dialect() {
    static constexpr Dialect kDialect = {
        {0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {kNone, kNone}, {kNone, kNone}, 1};
    return kDialect;
}

// Its one width stands for both: no row of it is short of anything.
const Dialect& sim_dialect() {
    static constexpr Dialect kDialect = {
        {0, 2, kNone, 3, 5, 5, 4, kNone, kNone, 1, 7, kNone, kNone, 6}, {8, kNone}, {8, kNone}, 60};
    return kDialect;
}

const Dialect& modular_dialect() {
    static constexpr Dialect kDialect = {
        {0, 3, 4, 10, 28, 14, 5, kNone, 11, kNone, kNone, kNone, kNone, 13}, {29, 30}, {15, 16}, 1};
    return kDialect;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t kLongest = 24;
    std::string shown(text.substr(0, kLongest));
    for (char& c : shown)
        if (c < 0x20 || c > 0x7e) c = '.';
    return "'" + shown + (text.size() > kLongest ? "...'" : "'");
}

void Row::cut(std::string_view line) {
    count_ = 0;
    line = trimmed(line);
    // By semicolons when the first thing after the first field is one; later, it begins a comment.
    const auto* after = std::find_if(line.begin(), line.end(), [](char c) { return is_blank(c) || c == ';'; });
    after = std::find_if_not(after, line.end(), is_blank);
    by_semicolons_ = after != line.end() && *after == ';';
    by_semicolons_ ? cut_at_semicolons(line) : cut_at_blanks(line);
}

void Row::cut_at_blanks(std::string_view line) {
    const char *at = line.data(), *end = at + line.size();
    while (at != end && *at != ';') {
        const char* begin = at;
        while (at != end && !is_blank(*at) && *at != ';') ++at;
        add({begin, static_cast<std::size_t>(at - begin)});
        while (at != end && is_blank(*at)) ++at;
    }
}

void Row::cut_at_semicolons(std::string_view line) {
    if (line.ends_with(';')) line.remove_suffix(1);  // some writers end every field with one
    for (;;) {
        const auto semicolon = line.find(';');
        add(trimmed(line.substr(0, semicolon)));
        if (semicolon == std::string_view::npos) return;
        line.remove_prefix(semicolon + 1);
    }
}

}  // namespace drom::sim::swf
