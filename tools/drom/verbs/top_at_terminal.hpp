// SPDX-License-Identifier: BSD-3-Clause
// top_at_terminal.hpp - drom top on a terminal: a whole screen, and keys.
#pragma once

#include "command_line/options.hpp"
#include "verbs/terminal.hpp"

namespace drom::command {

/// Shows the table until a key or a signal ends it, or the table is removed. Returns the exit status.
int top_at_terminal(const CommandOptions& options, const Table& table, Terminal terminal);

}  // namespace drom::command
