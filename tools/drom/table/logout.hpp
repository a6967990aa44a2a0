// SPDX-License-Identifier: BSD-3-Clause
// logout.hpp - what becomes of a table when its user logs out.
#pragma once

#include <sys/types.h>

#include <string>

namespace drom::command {

/// Returns a sentence when systemd-logind may remove the table at the last logout, else "". `table`: as it was given;
/// "": the default place. `root`: the folder that the system's own files are looked for in.
std::string removal_at_logout(const std::string& table, uid_t uid, const std::string& user, const std::string& root);

/// Returns the same for this process's user.
std::string removal_at_logout(const std::string& table);

}  // namespace drom::command
