// SPDX-License-Identifier: BSD-3-Clause
// number_text.hpp - a text that is a number and nothing else. For the command, the simulator, the policies and the
// plugins; of the libraries, only env.cpp and the readers of /proc read numbers, by strtol.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace drom {

/// Reads a number that is the whole of `text`. Returns invalid_argument where the text is none, and result_out_of_range
/// where the type of `into` is too small for it; `into` keeps its value then. Takes no blank and no plus sign.
template <class Number>
std::errc parse_number(std::string_view text, Number& into) noexcept {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::errc::invalid_argument;
    if (code == std::errc{}) into = value;
    return code;
}

/// Reads the same. Returns whether `text` is a number that fits into `into`.
template <class Number>
bool is_number(std::string_view text, Number& into) noexcept {
    return parse_number(text, into) == std::errc{};
}

}  // namespace drom
