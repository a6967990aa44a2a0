// SPDX-License-Identifier: BSD-3-Clause
// wrapped.hpp - a help page that fits the terminal.
#pragma once

#include <string>
#include <string_view>

namespace drom {

/// Returns how many columns the reader of standard output has: COLUMNS, else the terminal's, else 80.
size_t page_width();

/// Returns `page` with no line wider than `width` where a blank lets it be broken. The rest of a line goes on below its
/// text: in the same column of a list, after a # of a comment. A command, "  drom ...", is broken as a shell takes it,
/// with a backslash.
std::string wrapped(std::string_view page, size_t width);

}  // namespace drom
