// SPDX-License-Identifier: BSD-3-Clause
// all_users.cpp - one child per table, with the rights of the table's owner.
#include "all_users.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "report.hpp"
#include "verb_functions.hpp"

namespace drom::command {

namespace {

constexpr const char* kTables = "/dev/shm";

/// The users with a folder of the default name that is their own.
std::vector<uid_t> owners() {
    std::vector<uid_t> found;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(kTables, code)) {
        struct stat info{};
        if (lstat(entry.path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) continue;
        if (entry.path().filename() == fmt::format("drom-{}", info.st_uid)) found.push_back(info.st_uid);
    }
    std::ranges::sort(found);
    return found;
}

/// For good: nothing of root is left to this process.
bool become(uid_t uid) {
    const passwd* user = getpwuid(uid);
    const gid_t group = user != nullptr ? user->pw_gid : uid;
    return setgroups(0, nullptr) == 0 && setresgid(group, group, group) == 0 && setresuid(uid, uid, uid) == 0;
}

int list_as(uid_t uid, const std::string& path, const Options& options) {
    const pid_t child = fork();
    if (child == 0) {
        Options theirs = options;
        theirs.list.all_users = false;
        theirs.table = path;
        _exit(become(uid) ? verb_list(theirs) : kRefused);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return kRefused;
    return WIFEXITED(status) ? WEXITSTATUS(status) : kRefused;
}

}  // namespace

int list_all_users(const Options& options) {
    if (geteuid() != 0)
        return refused(options, sentence(options, DROM_E_PERM,
                                         "--all-users: only root can look at the tables of others; without it the "
                                         "list is that of your own"));
    const auto users = owners();
    if (users.empty() && !options.json) print("no user has a table\n");
    int worst = kDone;
    for (const uid_t uid : users) {
        const std::string path = fmt::format("{}/drom-{}", kTables, uid);
        const passwd* user = getpwuid(uid);
        if (!options.json && !options.list.raw)
            print(fmt::format("{} of {}:\n", path, user != nullptr ? user->pw_name : fmt::format("user {}", uid)));
        worst = std::max(worst, list_as(uid, path, options));
    }
    return worst;
}

}  // namespace drom::command
