// SPDX-License-Identifier: GPL-2.0-or-later
// process_tree.cpp - reads the parents of all processes from /proc, because a kernel need not list the children of one.
#include "process_tree.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/number_text.hpp"
#include "base/process_stat.hpp"

namespace drom::slurm {

std::vector<Kinship> all_processes() {
    std::vector<Kinship> found;
    std::error_code gone;  // processes end while we look
    auto entry = std::filesystem::directory_iterator("/proc", gone);
    for (; entry != end(entry); entry.increment(gone)) {
        const std::filesystem::path& path = entry->path();
        pid_t process = 0;
        ProcessStat stat;
        if (!is_number(path.filename().native(), process)) continue;
        if (read_stat(AT_FDCWD, (path / "stat").c_str(), stat) != 0 || stat.parent == 0) continue;
        found.push_back({process, static_cast<pid_t>(stat.parent)});
    }
    return found;
}

std::vector<pid_t> below(pid_t ancestor, const std::vector<Kinship>& processes) {
    std::vector<pid_t> family{ancestor};
    for (std::size_t i = 0; i < family.size(); ++i)
        for (const Kinship& kin : processes)
            // A number can pass to another process while we read.
            if (kin.parent == family[i] && std::ranges::find(family, kin.process) == family.end())
                family.push_back(kin.process);
    family.erase(family.begin());
    return family;
}

}  // namespace drom::slurm
