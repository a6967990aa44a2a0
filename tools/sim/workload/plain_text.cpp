// SPDX-License-Identifier: BSD-3-Clause
// plain_text.cpp - words and their places.
#include "workload/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libdrom/base/number_text.hpp"
#include "workload/swf/swf_row.hpp"

namespace drom::sim {
namespace {

constexpr std::string_view kBlanks = " \t\r";

}  // namespace

bool PlainText::next_line() {
    if (has_word()) complain_at(words_[place_].column, swf::quoted(words_[place_].text) + " is one word too many");
    words_.clear();
    place_ = 0;
    while (words_.empty() && !rest_.empty() && complaint_.empty()) {
        const std::string_view line = rest_.substr(0, rest_.find('\n'));
        rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
        ++line_;
        cut(line.substr(0, line.find('#')));
    }
    return !words_.empty();
}

void PlainText::cut(std::string_view line) {
    for (std::size_t from = 0; (from = line.find_first_not_of(kBlanks, from)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, from), line.size());
        words_.push_back({line.substr(from, end - from), from + 1});
        end_column_ = end + 1;
        from = end;
    }
}

std::string_view PlainText::word(const char* wanted) {
    if (!has_word()) {
        complain_at(end_column_, fmt::format("{} is missing", wanted));
        return {};
    }
    return words_[place_++].text;
}

double PlainText::number(const char* wanted, double min, double max) {
    const std::string_view text = word(wanted);
    double value = min;
    if (!complaint_.empty()) return min;
    if (!is_number(text, value) || !std::isfinite(value))
        complain(fmt::format("{} where {} should be", swf::quoted(text), wanted));
    else if (value < min || value > max)
        complain(fmt::format("{} is out of range for {}; {} to {} can be meant", text, wanted, min, max));
    return value;
}

int PlainText::whole(const char* wanted, int min, int max) {
    const std::string_view text = word(wanted);
    int value = min;
    if (!complaint_.empty()) return min;
    if (!is_number(text, value))
        complain(fmt::format("{} where {} should be", swf::quoted(text), wanted));
    else if (value < min || value > max)
        complain(fmt::format("{} is out of range for {}; {} to {} can be meant", text, wanted, min, max));
    return value;
}

void PlainText::complain(const std::string& text) {
    complain_at(place_ > 0 ? words_[place_ - 1].column : end_column_, text);
}

void PlainText::complain_at(std::size_t column, const std::string& text) {
    if (complaint_.empty())
        complaint_ = fmt::format("line {}, column {}: {}", std::max<std::size_t>(line_, 1), column, text);
}

}  // namespace drom::sim
