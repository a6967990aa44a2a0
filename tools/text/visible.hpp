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

/// Returns the text, visible, as a field of `width` characters, 1 at least. A longer one is cut, and ends with '+'. A
/// character counts as one column; a wide one is two on a terminal.
std::string visible_field(std::string_view text, size_t width);

}  // namespace drom
