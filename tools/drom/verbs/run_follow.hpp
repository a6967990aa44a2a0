// SPDX-License-Identifier: BSD-3-Clause
// run_follow.hpp - drom run --follow: a command that follows its container, without a table.
#pragma once

#include "command_line/options.hpp"
#include "program/program.hpp"

namespace drom::command {

/// Returns whether the command is to follow its container: --follow, or DROM_FOLLOW=1 outside of a client.
bool follows_container(const CommandOptions& options);

/// Executes the command in this process, on as many CPUs as its affinity and the quotas of its cgroups allow. The agent
/// in it looks at these limits later. Returns the exit status when it cannot.
int run_following(const CommandOptions& options, const Program& program);

}  // namespace drom::command
