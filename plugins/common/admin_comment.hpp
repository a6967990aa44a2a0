// SPDX-License-Identifier: GPL-2.0-or-later
// admin_comment.hpp - words KEY=VALUE in a job's admin comment, beside whatever else stands there. Pure.
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

}  // namespace drom::slurm
