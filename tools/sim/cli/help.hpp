// SPDX-License-Identifier: BSD-3-Clause
// help.hpp - help pages of drom-sim; parameters and policies come from the tables of settings.hpp.
#pragma once

#include <string>
#include <string_view>

namespace drom::sim {

/// Returns the help of a verb. -h: one screen; `full` (--help): every parameter, examples, exit statuses.
std::string help(const std::string& verb, bool full);

/// Returns the lines of a list that tell of a parameter; its text begins below a name that is too long for the first
/// column.
std::string parameter_line(std::string_view name, std::string_view label, std::string_view text);

/// Returns the columns of all CSV files as tables in Markdown: docs/user/simulator.md has them, too.
std::string columns_help();

}  // namespace drom::sim
