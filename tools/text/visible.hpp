// SPDX-License-Identifier: BSD-3-Clause
// visible.hpp - text from outside, such as the name of a process, before it is shown to a person.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drom {

/// Replaces by '?' what would make two lines of one, talk to the terminal or turn the text around: control characters
/// (C0, DEL, C1), line separators, bidirectional controls, and bytes that are no UTF-8.
std::string visible(std::string_view text);

/// Returns how many columns of a terminal a visible text takes. Wide characters of East Asian scripts and emoji take
/// two, as fmt estimates it. A combining character counts as one, which leaves a blank.
size_t columns_of_text(std::string_view shown);

/// Returns as much of the beginning of a visible text as `columns` have room for.
std::string_view beginning_of(std::string_view shown, size_t columns);

/// Returns the text, visible, as a field of so many columns, 1 at least. A longer one is cut, and has a '+' there.
std::string visible_field(std::string_view text, size_t columns);

}  // namespace drom
