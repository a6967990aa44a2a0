// SPDX-License-Identifier: BSD-3-Clause
// escaped.hpp - names within the values of options, where some letters have a meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drom::policy {

/// Writes %2F, %2C, %20 and %25 for slash, comma, blank and percent sign: "a/b c" is "a%2Fb%20c".
std::string escaped(std::string_view name);

/// Reads what escaped() writes; any letter may be written so. Returns nothing where two hexadecimal digits do not
/// follow a percent sign, or where they are a control character.
std::optional<std::string> unescaped(std::string_view text);

}  // namespace drom::policy
