// SPDX-License-Identifier: GPL-2.0-or-later
// cgroup_location.cpp - reads the kernel's texts about cgroups.
#include "cgroup_location.hpp"

#include <algorithm>
#include <utility>

namespace drom::slurm {
namespace {

/// Returns the part of `rest` before the separator; `rest` goes on behind it.
std::string_view cut(std::string_view& rest, char separator) {
    const std::string_view part = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return part;
}

bool lists(std::string_view words, std::string_view word) {
    while (!words.empty())
        if (cut(words, ',') == word) return true;
    return false;
}

/// Returns the name itself: mountinfo writes blanks, tabs, line ends and backslashes as \040 and so on;
/// /proc/PID/cgroup writes them as they are.
std::string unescaped(std::string_view text) {
    const auto octal = [](char digit) { return digit >= '0' && digit <= '7'; };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view code = text.substr(i + 1, 3);
        if (text[i] == '\\' && code.size() == 3 && std::all_of(code.begin(), code.end(), octal)) {
            out += static_cast<char>((code[0] - '0') * 64 + (code[1] - '0') * 8 + (code[2] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

Names names_of(std::string_view path) {
    Names names;
    while (!path.empty())
        if (const std::string_view name = cut(path, '/'); !name.empty()) names.emplace_back(name);
    return names;
}

struct Mount {
    std::string root;   ///< which directory of the hierarchy is mounted
    std::string point;  ///< and where
    std::string type;
    std::string options;  ///< of the hierarchy
};

/// Reads ID PARENT DEVICE ROOT POINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS.
Mount mount_of(std::string_view line) {
    Mount mount;
    for (int skipped = 0; skipped < 3; ++skipped) cut(line, ' ');
    mount.root = unescaped(cut(line, ' '));
    mount.point = unescaped(cut(line, ' '));
    while (!line.empty() && cut(line, ' ') != "-") {}
    mount.type = cut(line, ' ');
    cut(line, ' ');
    mount.options = cut(line, ' ');
    return mount;
}

/// In which hierarchy the process is, and where: as one line says.
struct Membership {
    bool v2 = false;
    std::string controllers;
    std::string path;
};
std::vector<Membership> memberships_of(std::string_view cgroup) {
    std::vector<Membership> all;
    while (!cgroup.empty()) {
        std::string_view line = cut(cgroup, '\n');
        const std::string_view hierarchy = cut(line, ':');
        const std::string_view controllers = cut(line, ':');
        all.push_back({hierarchy == "0" && controllers.empty(), std::string(controllers), std::string(line)});
    }
    return all;
}

/// Returns where the cpuset controller has the process. A v1 hierarchy with it comes before v2, which then lacks it.
std::optional<Membership> in_cpuset(const std::vector<Membership>& all) {
    std::optional<Membership> unified;
    for (const Membership& member : all) {
        if (lists(member.controllers, "cpuset")) return member;
        if (member.v2) unified = member;
    }
    return unified;
}

bool shows(const Mount& mount, const Membership& member) {
    std::string_view controllers = member.controllers;
    return member.v2 ? mount.type == "cgroup2" : mount.type == "cgroup" && lists(mount.options, cut(controllers, ','));
}

/// Returns the names that lead from the mounted directory to the process's; none when it is not below it. Inside a
/// cgroup namespace the kernel writes what is outside as /.., of which only the same beginning says anything.
std::optional<Names> way_down(const Mount& mount, const Names& path) {
    const Names root = names_of(mount.root);
    if (root.size() > path.size() || !std::equal(root.begin(), root.end(), path.begin())) return std::nullopt;
    Names down(path.begin() + static_cast<std::ptrdiff_t>(root.size()), path.end());
    if (std::find(down.begin(), down.end(), "..") != down.end()) return std::nullopt;
    return down;
}

/// Returns where it is seen in the mount that shows most of the levels above; of equal ones in the last, which lies
/// over the others.
std::optional<CpusetLocation> locate(const Membership& member, std::string_view mountinfo) {
    const Names path = names_of(member.path);
    std::optional<CpusetLocation> best;
    while (!mountinfo.empty()) {
        const Mount mount = mount_of(cut(mountinfo, '\n'));
        if (!shows(mount, member)) continue;
        auto down = way_down(mount, path);
        if (!down || (best && best->below.size() > down->size())) continue;
        const bool noprefix = !member.v2 && lists(mount.options, "noprefix");
        best = CpusetLocation{member.v2, noprefix, mount.point == "/" ? "" : mount.point, std::move(*down)};
    }
    return best;
}

}  // namespace

std::string CpusetLocation::directory(std::size_t level) const {
    std::string path = top;
    for (std::size_t i = 0; i < level; ++i) path += '/' + below[i];
    return path;
}

std::string CpusetLocation::cpus_file(std::size_t level) const {
    return directory(level) + (noprefix ? "/cpus" : "/cpuset.cpus");
}

std::string CpusetLocation::effective_file(std::size_t level) const {
    if (v2) return directory(level) + "/cpuset.cpus.effective";
    return directory(level) + (noprefix ? "/effective_cpus" : "/cpuset.effective_cpus");
}

tl::expected<std::optional<CpusetLocation>, std::string> find_cpuset(std::string_view cgroup,
                                                                     std::string_view mountinfo) {
    const auto member = in_cpuset(memberships_of(cgroup));
    if (!member) return std::nullopt;
    auto best = locate(*member, mountinfo);
    // In the root of a hierarchy nothing is confined, whether it is seen or not.
    if (!best && !names_of(member->path).empty())
        return tl::unexpected("its cgroup " + member->path + " is below no " + (member->v2 ? "cgroup2" : "cpuset") +
                              " hierarchy that is mounted here; mount it where slurmd runs");
    return best;
}

std::vector<CpusetLocation> find_cgroups(std::string_view cgroup, std::string_view mountinfo) {
    std::vector<CpusetLocation> found;
    for (const Membership& member : memberships_of(cgroup))
        if (auto location = locate(member, mountinfo)) found.push_back(std::move(*location));
    return found;
}

bool is_numbered(std::string_view name, std::string_view what) {
    if (!name.starts_with(what)) return false;
    name.remove_prefix(what.size());
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace drom::slurm
