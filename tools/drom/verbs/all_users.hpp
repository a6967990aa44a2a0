// SPDX-License-Identifier: BSD-3-Clause
// all_users.hpp - verbs with --all-users: root and the tables of users.
#pragma once

#include <string>

#include "command_line/options.hpp"

namespace drom::command {

/// Lists the table of each user who has one, as that user: a file that a user can cut is never mapped with root's
/// rights. Returns the largest exit status.
int list_all_users(const CommandOptions& options);

/// Carries drom stats or drom top out on all these tables at once, likewise.
int look_all_users(const CommandOptions& options, int (*verb)(const CommandOptions&));

/// Sets `text` to what drom metrics says of all these tables, likewise. Without root's rights it stays empty.
int metrics_all_users(const CommandOptions& options, std::string& text);

/// Drains or restores CPUs in the table of each user, likewise. One table that refuses leaves all of them as they were.
/// Signals that arrive meanwhile take effect once all tables are changed, or none.
int drain_all_users(const CommandOptions& options);

}  // namespace drom::command
