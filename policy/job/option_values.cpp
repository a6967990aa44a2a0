// SPDX-License-Identifier: BSD-3-Clause
// option_values.cpp - values of options as text.
#include "policy/job/option_values.hpp"

#include <array>
#include <charconv>

namespace drom::policy {

std::string text_of(double value) {
    std::array<char, 32> text;
    // Without an exponent up to 1e12: people read 1000000 where to_chars alone would choose 1e+06.
    const bool plain = value == 0 || (value >= 1e-4 && value <= 1e12);
    const auto format = plain ? std::chars_format::fixed : std::chars_format::general;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, format).ptr};
}

std::string text_of(bool value) { return value ? "yes" : "no"; }

std::string out_of_range(const std::string& min, const std::string& max) {
    return "is out of range; " + min + " to " + max + " can be meant";
}

Read read_yes_or_no(bool& into, std::string_view text) {
    if (text != "yes" && text != "no") return tl::unexpected(std::string("is neither yes nor no"));
    into = text == "yes";
    return {};
}

}  // namespace drom::policy
