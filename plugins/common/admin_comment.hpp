// SPDX-License-Identifier: GPL-2.0-or-later
// admin_comment.hpp - words KEY=VALUE in a job's admin comment or system comment, beside whatever else stands there.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drom::slurm {

/// Returns the value behind `key`=; nothing when there is no such word. The last one counts.
std::optional<std::string_view> value_of(std::string_view comment, std::string_view key);

/// Returns the comment with `key`=`value` at its end instead of what it had of this key; with an empty value without
/// it.
std::string with_value(std::string_view comment, std::string_view key, std::string_view value);

/// The word of a job's system comment that says why it waits instead of sharing.
inline constexpr std::string_view kWaitsWord = "unshared";
inline constexpr std::string_view kWaitsByWord = "unshared_by";
inline constexpr std::string_view kWaitsSinceWord = "unshared_since";

/// Returns the comment with unshared=WORD, unshared_by=BY with '_' for blanks, and unshared_since=SINCE at its end.
/// With the same reason it stays as it is; with an empty word all three are taken out.
std::string with_reason(std::string_view comment, std::string_view word, std::string_view by, std::string_view since);

}  // namespace drom::slurm
