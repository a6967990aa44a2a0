// SPDX-License-Identifier: BSD-3-Clause
// help.hpp - help pages of drom-sim; parameters and policies come from the tables of settings.hpp.
#pragma once

#include <string>

namespace drom::sim {

/// Returns the help of a verb. -h: one screen; `full` (--help): every parameter, examples, exit statuses.
std::string help(const std::string& verb, bool full);

/// Returns the columns of all CSV files as tables in Markdown: docs/user/simulator.md has them, too.
std::string columns_help();

}  // namespace drom::sim
