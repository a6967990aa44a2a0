// SPDX-License-Identifier: BSD-3-Clause
// visible.cpp - text from outside, before it is shown to a person.
#include "text/visible.hpp"

#include <fmt/format.h>

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

/// Returns the first character of a text that is not empty, or its first byte where that is no UTF-8.
std::string_view first_in(std::string_view text) { return text.substr(0, std::max<size_t>(first_of(text).length, 1)); }

/// Returns the columns of one character. fmt pads a field to columns, so it knows them.
size_t columns_of(std::string_view character) {
    constexpr size_t kField = 3;
    return kField - (fmt::formatted_size("{:3}", character) - character.size());
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

size_t columns_of_text(std::string_view shown) {
    size_t columns = 0;
    while (!shown.empty()) {
        const std::string_view character = first_in(shown);
        columns += columns_of(character);
        shown.remove_prefix(character.size());
    }
    return columns;
}

std::string_view beginning_of(std::string_view shown, size_t columns) {
    size_t taken = 0;
    while (taken < shown.size()) {
        const std::string_view character = first_in(shown.substr(taken));
        const size_t wanted = columns_of(character);
        if (wanted > columns) break;
        columns -= wanted;
        taken += character.size();
    }
    return shown.substr(0, taken);
}

std::string visible_field(std::string_view text, size_t columns) {
    std::string field = visible(text);
    if (columns_of_text(field) > columns) field = std::string(beginning_of(field, columns - 1)) + '+';
    return field + std::string(columns - columns_of_text(field), ' ');
}

}  // namespace drom
