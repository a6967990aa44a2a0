// SPDX-License-Identifier: BSD-3-Clause
// logout.cpp - what becomes of a table when its user logs out.
#include "table/logout.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace drom::command {

namespace {

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

/// Returns whether the logout clears the folder: shared memory by RemoveIPC, which is the default; a user's runtime
/// folder always.
bool is_cleared(const std::string& table) {
    return table.empty() || table.starts_with("/dev/shm/") || table.starts_with("/run/user/");
}

}  // namespace

std::string removal_at_logout(const std::string& table, uid_t uid, const std::string& user, const std::string& root) {
    constexpr uid_t kFirstPerson = 1000;  // logind leaves what belongs to the system's own users
    if (uid < kFirstPerson || !is_cleared(table)) return "";
    const bool lingers = !user.empty() && exists(root + "/var/lib/systemd/linger/" + user);
    if (lingers || !exists(root + "/run/systemd/users")) return "";
    return "systemd-logind may remove the table at your last logout: then nothing moves these CPUs any more; "
           "loginctl enable-linger, or DROM_TABLE outside /dev/shm and /run/user, keeps it";
}

std::string removal_at_logout(const std::string& table) {
    const char* variable = std::getenv("DROM_TABLE");
    const std::string where = table.empty() && variable != nullptr ? variable : table;
    const passwd* user = getpwuid(geteuid());
    return removal_at_logout(where, geteuid(), user != nullptr ? user->pw_name : "", "");
}

}  // namespace drom::command
