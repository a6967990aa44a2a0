// SPDX-License-Identifier: BSD-3-Clause
// mounts.cpp - reads the kernel's texts about cgroups.
#include "mounts.hpp"

#include <algorithm>

#include "file_text.hpp"

namespace drom::container {

namespace {

bool lists(std::string_view words, std::string_view word) noexcept {
    while (!words.empty())
        if (cut(words, ',') == word) return true;
    return false;
}

/// The fields of a line of mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS.
struct Mount {
    std::string_view root;   ///< which folder of the hierarchy is mounted
    std::string_view point;  ///< and where
    std::string_view type;
    std::string_view options;  ///< of the hierarchy
};

Mount mount_of(std::string_view line) noexcept {
    Mount mount;
    for (int skipped = 0; skipped < 3; ++skipped) cut(line, ' ');
    mount.root = cut(line, ' ');
    mount.point = cut(line, ' ');
    while (!line.empty() && cut(line, ' ') != "-") continue;
    mount.type = cut(line, ' ');
    cut(line, ' ');
    mount.options = cut(line, ' ');
    return mount;
}

bool shows(const Mount& mount, const Membership& member) noexcept {
    return member.v2 ? mount.type == "cgroup2" : mount.type == "cgroup" && lists(mount.options, "cpu");
}

bool is_octal(char digit) noexcept { return digit >= '0' && digit <= '7'; }

/// Takes the next character of a name: mountinfo has blanks, tabs, line ends and backslashes as \040 and so on.
char take_character(std::string_view& name) noexcept {
    const char character = name.front();
    const bool code =
        character == '\\' && name.size() > 3 && is_octal(name[1]) && is_octal(name[2]) && is_octal(name[3]);
    const int value = code ? (name[1] - '0') * 64 + (name[2] - '0') * 8 + (name[3] - '0') : character;
    name.remove_prefix(code ? 4 : 1);
    return static_cast<char>(value);
}

/// Writes the name itself, and nothing for "/". Returns its length.
size_t write_name(std::string_view name, char* out) noexcept {
    size_t length = 0;
    while (name != "/" && !name.empty()) out[length++] = take_character(name);
    return length;
}

bool climbs(std::string_view path) noexcept {
    while (!path.empty())
        if (cut(path, '/') == "..") return true;
    return false;
}

/// Finds the way from the mounted folder down to the process's. Returns false when the process is not below it. Inside
/// a cgroup namespace the kernel writes what is outside as /.., which says nothing about names.
bool find_way(const Mount& mount, std::string_view path, std::string_view& way) noexcept {
    std::string_view root = mount.root == "/" ? std::string_view() : mount.root;
    while (!root.empty()) {
        if (path.empty() || take_character(root) != path.front()) return false;
        path.remove_prefix(1);
    }
    if (!path.empty() && path.front() != '/') return false;
    way = path == "/" ? std::string_view() : path;
    return !climbs(way);
}

}  // namespace

Membership membership_of(std::string_view line) noexcept {
    const std::string_view hierarchy = cut(line, ':');
    const std::string_view controllers = cut(line, ':');
    return {hierarchy == "0" && controllers.empty(), controllers, line};
}

bool limits_time(const Membership& member) noexcept { return member.v2 || lists(member.controllers, "cpu"); }

bool locate(const Membership& member, std::string_view mountinfo, Place& place) noexcept {
    std::ptrdiff_t levels = -1;
    while (!mountinfo.empty()) {
        const Mount mount = mount_of(cut(mountinfo, '\n'));
        std::string_view way;
        if (!shows(mount, member) || !find_way(mount, member.path, way)) continue;
        const auto below = std::count(way.begin(), way.end(), '/');
        const bool fits = place.root + mount.point.size() + way.size() + kLongestFile < sizeof place.path;
        if (below < levels || !fits) continue;
        place.top = place.root + write_name(mount.point, place.path + place.root);
        std::copy(way.begin(), way.end(), place.path + place.top);
        place.path[place.top + way.size()] = '\0';
        place.v2 = member.v2;
        levels = below;
    }
    return levels >= 0;
}

}  // namespace drom::container
