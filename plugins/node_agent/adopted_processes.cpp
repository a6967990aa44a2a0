// SPDX-License-Identifier: GPL-2.0-or-later
// adopted_processes.cpp - finds adopted processes by their cgroups: nothing else connects them with their step.
#include "adopted_processes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "cgroup_location.hpp"
#include "common/small_file.hpp"

namespace drom::slurm {
namespace {

namespace fs = std::filesystem;

/// Returns the directory of the extern step that the location is in or below; empty: it is not.
std::string extern_step_above(const CpusetLocation& location) {
    const Names& names = location.below;
    for (std::size_t level = 1; level < names.size(); ++level)
        if (names[level] == "step_extern" && is_numbered(names[level - 1], "job_"))
            return location.directory(level + 1);
    return {};
}

void add_processes_in(const fs::path& directory, std::set<pid_t>& processes) {
    std::ifstream file(directory / "cgroup.procs");
    for (pid_t process = 0; file >> process;)
        if (process > 0) processes.insert(process);
}

}  // namespace

std::vector<pid_t> processes_of_extern_step(pid_t daemon, const std::vector<pid_t>& own, const std::string& root) {
    std::vector<pid_t> known = own;
    known.push_back(daemon);
    const std::string mounts = contents(root + "/proc/self/mountinfo");
    std::set<std::string> directories;
    for (const pid_t process : known)
        for (const auto& location :
             find_cgroups(contents(root + "/proc/" + std::to_string(process) + "/cgroup"), mounts))
            if (const std::string step = extern_step_above(location); !step.empty()) directories.insert(root + step);
    std::set<pid_t> processes(own.begin(), own.end());
    for (const std::string& directory : directories) {
        std::error_code gone;  // a cgroup may go while we look
        add_processes_in(directory, processes);
        auto entry = fs::recursive_directory_iterator(directory, gone);
        for (; !gone && entry != end(entry); entry.increment(gone))
            if (entry->is_directory(gone)) add_processes_in(entry->path(), processes);
    }
    processes.erase(daemon);
    return {processes.begin(), processes.end()};
}

}  // namespace drom::slurm
