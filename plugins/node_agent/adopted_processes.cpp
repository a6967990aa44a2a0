// SPDX-License-Identifier: GPL-2.0-or-later
// adopted_processes.cpp - finds processes by the cgroups of their step: nothing else connects them with it.
#include "adopted_processes.hpp"

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "base/process_stat.hpp"
#include "cgroup_location.hpp"
#include "common/small_file.hpp"

namespace drom::slurm {
namespace {

namespace fs = std::filesystem;

/// Returns the directory of the step that the location is in or below; empty: it is not.
std::string step_above(const CpusetLocation& location, std::string_view name) {
    const Names& names = location.below;
    for (std::size_t level = 1; level < names.size(); ++level)
        if (names[level].starts_with(name) && is_numbered(names[level - 1], "job_"))
            return location.directory(level + 1);
    return {};
}

void add_processes_in(const fs::path& directory, std::set<pid_t>& processes) {
    std::ifstream file(directory / "cgroup.procs");
    for (pid_t process = 0; file >> process;)
        if (process > 0) processes.insert(process);
}

/// Adds the processes of the steps with this name whose cgroups have some of those that are known.
void add_processes_of_step(std::string_view name, const std::vector<pid_t>& known, const std::string& root,
                           std::set<pid_t>& processes) {
    const std::string mounts = contents(root + "/proc/self/mountinfo");
    std::set<std::string> directories;
    for (const pid_t process : known)
        for (const auto& location :
             find_cgroups(contents(root + "/proc/" + std::to_string(process) + "/cgroup"), mounts))
            if (const std::string step = step_above(location, name); !step.empty()) directories.insert(root + step);
    for (const std::string& directory : directories) {
        std::error_code gone;  // a cgroup may go while we look
        add_processes_in(directory, processes);
        auto entry = fs::recursive_directory_iterator(directory, gone);
        for (; !gone && entry != end(entry); entry.increment(gone))
            if (entry->is_directory(gone)) add_processes_in(entry->path(), processes);
    }
}

/// Returns the parent; 0: it has none, or has ended.
pid_t parent_of(pid_t process, const std::string& root) {
    ProcessStat stat;
    const std::string path = root + "/proc/" + std::to_string(process) + "/stat";
    return read_stat(AT_FDCWD, path.c_str(), stat) == 0 ? static_cast<pid_t>(stat.parent) : 0;
}

bool is_or_is_below(pid_t process, pid_t ancestor, const std::string& root) {
    for (; process > 1; process = parent_of(process, root))
        if (process == ancestor) return true;
    return false;
}

}  // namespace

std::vector<pid_t> processes_of_extern_step(pid_t daemon, const std::vector<pid_t>& own, const std::string& root) {
    std::vector<pid_t> known = own;
    known.push_back(daemon);
    std::set<pid_t> processes(own.begin(), own.end());
    add_processes_of_step("step_extern", known, root, processes);
    processes.erase(daemon);
    return {processes.begin(), processes.end()};
}

std::vector<pid_t> orphans_of_step(pid_t task, const std::string& root) {
    const pid_t daemon = parent_of(task, root);
    if (daemon <= 1) return {};
    std::set<pid_t> processes;
    add_processes_of_step("step_", {task}, root, processes);
    std::erase_if(processes, [&](pid_t process) { return is_or_is_below(process, daemon, root); });
    return {processes.begin(), processes.end()};
}

}  // namespace drom::slurm
