// SPDX-License-Identifier: GPL-2.0-or-later
// descendants.cpp - reads descendants from /proc, because a kernel need not list the children of a process.
#include "descendants.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace drom::slurm {
namespace {

/// Returns the fourth field. The second, the name, may have blanks and parentheses in it. 0: the process has ended.
pid_t parent_of(const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    std::string text;
    std::getline(file, text, '\0');
    const size_t name_end = text.rfind(')');
    int parent = 0;
    if (name_end == std::string::npos || sscanf(text.c_str() + name_end, ") %*c %d", &parent) != 1) return 0;
    return parent;
}

}  // namespace

std::vector<Kinship> all_processes() {
    std::vector<Kinship> found;
    std::error_code gone;  // processes end while we look
    auto entry = std::filesystem::directory_iterator("/proc", gone);
    for (; entry != end(entry); entry.increment(gone)) {
        const std::string name = entry->path().filename();
        pid_t process = 0;
        const auto [last, code] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (code != std::errc{} || last != name.data() + name.size()) continue;
        if (const pid_t parent = parent_of(entry->path()); parent != 0) found.push_back({process, parent});
    }
    return found;
}

std::vector<pid_t> descendants_of(pid_t ancestor, const std::vector<Kinship>& processes) {
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
