// SPDX-License-Identifier: BSD-3-Clause
// visible.cpp - text from outside, before it is shown to a person.
#include "text/visible.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace drom {

namespace {

struct Range {
    uint32_t first;
    uint32_t last;
};

constexpr Range kHidden[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                             {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

bool is_hidden(uint32_t character) {
    return std::ranges::any_of(kHidden,
                               [&](const Range& range) { return character >= range.first && character <= range.last; });
}

/// Returns the bytes of a character that begins with `lead`; 0: none begins so.
size_t length_after(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xc2) return 0;
    if (lead < 0xe0) return 2;
    if (lead < 0xf0) return 3;
    return lead < 0xf5 ? 4 : 0;
}

struct Character {
    uint32_t code;
    size_t length;  ///< bytes; 0: the text does not begin with UTF-8
};

/// Returns the first character of a text that is not empty.
Character first_of(std::string_view text) {
    constexpr uint32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto lead = static_cast<unsigned char>(text.front());
    const size_t length = length_after(lead);
    if (length == 0 || length > text.size()) return {0, 0};
    if (length == 1) return {lead, 1};
    uint32_t code = lead & (0x7fU >> length);
    for (const char c : text.substr(1, length - 1)) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xc0U) != 0x80) return {0, 0};
        code = code << 6U | (byte & 0x3fU);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < kMin[length] || surrogate || code > 0x10ffff ? Character{0, 0} : Character{code, length};
}

}  // namespace

std::string visible(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const Character character = first_of(text);
        const bool hidden = character.length == 0 || is_hidden(character.code);
        const size_t taken = std::max<size_t>(character.length, 1);
        shown += hidden ? std::string_view("?") : text.substr(0, taken);
        text.remove_prefix(taken);
    }
    return shown;
}

std::string visible_field(std::string_view text, size_t width) {
    const std::string shown = visible(text);
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; };
    const auto characters = static_cast<size_t>(std::ranges::count_if(shown, begins));
    if (characters <= width) return shown + std::string(width - characters, ' ');
    std::string cut;
    size_t left = width;  // the last one is for the '+'
    for (const char c : shown) {
        if (begins(c) && --left == 0) break;
        cut += c;
    }
    return cut + '+';
}

}  // namespace drom
