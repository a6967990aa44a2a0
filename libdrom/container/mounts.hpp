// SPDX-License-Identifier: BSD-3-Clause
// mounts.hpp - where the kernel has a process in its hierarchies of cgroups, and where that is mounted. Pure.
//
// plugins/node_agent/cgroup_location does the same for cpusets, and may allocate; this is code inside applications.
#pragma once

#include <climits>
#include <cstddef>
#include <string_view>

namespace drom::container {

/// One line of /proc/self/cgroup: HIERARCHY:CONTROLLERS:PATH.
struct Membership {
    bool v2 = false;
    std::string_view controllers, path;
};
Membership membership_of(std::string_view line) noexcept;

/// Returns whether this hierarchy can limit CPU time: v2, or v1 with the controller cpu.
bool limits_time(const Membership& member) noexcept;

/// The folder of a process's own group. Too large for a small stack.
struct Place {
    bool v2;
    size_t root;  ///< length of what stands before the names of the kernel; set by the caller, with that part of `path`
    size_t top;   ///< length of the part of `path` that is the folder where the hierarchy is mounted
    char path[PATH_MAX];
};
inline constexpr size_t kLongestFile = 64;  ///< room that is left in `path` for the name of a file

/// Finds the folder in the mount that shows most of the levels above; of equal ones in the last, which lies over the
/// others. Returns false where no mount shows the group.
bool locate(const Membership& member, std::string_view mountinfo, Place& place) noexcept;

}  // namespace drom::container
