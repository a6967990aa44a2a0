// SPDX-License-Identifier: BSD-3-Clause
// escaped.cpp - letters as two hexadecimal digits.
#include "policy/job/escaped.hpp"

#include <charconv>

namespace drom::policy {
namespace {

/// Returns the letter that the two digits stand for; nothing for a control character, and for what are no two digits.
std::optional<char> letter(std::string_view digits) {
    unsigned char value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const bool whole = digits.size() == 2 && code == std::errc{} && end == digits.data() + digits.size();
    if (!whole || value < 0x20 || value == 0x7f) return std::nullopt;
    return static_cast<char>(value);
}

}  // namespace

std::string escaped(std::string_view name) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string text;
    for (const char c : name) {
        if (std::string_view("/, %").find(c) == std::string_view::npos) {
            text += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        text += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
    return text;
}

std::optional<std::string> unescaped(std::string_view text) {
    std::string name;
    while (!text.empty()) {
        if (text.front() != '%') {
            name += text.front();
            text.remove_prefix(1);
            continue;
        }
        const std::optional<char> c = letter(text.substr(1, 2));
        if (!c) return std::nullopt;
        name += *c;
        text.remove_prefix(3);
    }
    return name;
}

}  // namespace drom::policy
