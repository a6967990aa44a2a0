// SPDX-License-Identifier: BSD-3-Clause
// option_values.hpp - values of options as text: reading them with a reason when they cannot be meant, and printing
// them.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "libdrom/base/number_text.hpp"
#include "policy/job/range.hpp"

namespace drom::policy {

/// Nothing, or what is wrong with a value: the rest of a sentence that begins with it ("is not a number").
using Read = tl::expected<void, std::string>;

constexpr std::int64_t kMaxWhole = 1'000'000'000;

/// Prints a number as an option takes it: the shortest text that reads back as the same number.
std::string text_of(double value);
std::string text_of(bool value);

/// Says that a value is below `min` or above `max`.
std::string out_of_range(const std::string& min, const std::string& max);

/// Reads a number from `min` to `max` into `into`, which keeps its value on errors.
template <class Number>
Read read_number(Number& into, std::string_view text, Number min, Number max) {
    Number value{};
    if (!is_number(text, value)) return tl::unexpected(std::string("is not a number"));
    if (!(value >= min && value <= max))
        return tl::unexpected(out_of_range(text_of(double(min)), text_of(double(max))));
    into = value;
    return {};
}

template <class Number>
Read read_number(Number& into, std::string_view text, const Range<Number>& range) {
    return read_number(into, text, range.min, range.max);
}

/// Reads a whole number. The bounds are those of the option, not of the type.
template <class Whole>
Read read_whole(Whole& into, std::string_view text, std::int64_t min, std::int64_t max = kMaxWhole) {
    std::int64_t value = 0;
    const std::errc error = parse_number(text, value);
    if (error == std::errc::invalid_argument) return tl::unexpected(std::string("is not a whole number"));
    if (error != std::errc{} || value < min || value > max)
        return tl::unexpected(out_of_range(std::to_string(min), std::to_string(max)));
    into = static_cast<Whole>(value);
    return {};
}

template <class Whole>
Read read_whole(Whole& into, std::string_view text, const Range<Whole>& range) {
    return read_whole(into, text, range.min, range.max);
}

Read read_yes_or_no(bool& into, std::string_view text);

}  // namespace drom::policy
