// SPDX-License-Identifier: GPL-2.0-or-later
// cgroup_location.hpp - where the kernel has a process in its hierarchies of cgroups, v1 and v2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace drom::slurm {

using Names = std::vector<std::string>;

/// Where the cpuset controller, or another, has a process.
struct CpusetLocation {
    bool v2 = false;
    bool noprefix = false;  ///< v1: its files are `cpus` instead of `cpuset.cpus`
    std::string top;        ///< directory of the highest level that is seen here
    Names below;            ///< names of the levels from there down to the process's own

    /// Returns the directory of a level: 0 is `top`, below.size() the process's own.
    [[nodiscard]] std::string directory(std::size_t level) const;
    /// Returns the file with the CPUs that were asked for, or the one with those that are in effect.
    [[nodiscard]] std::string cpus_file(std::size_t level) const;
    [[nodiscard]] std::string effective_file(std::size_t level) const;

    friend bool operator==(const CpusetLocation&, const CpusetLocation&) = default;
};

/// Finds the cpuset by /proc/PID/cgroup and /proc/self/mountinfo. None where no cpuset can confine the process. Pure.
/// Errors: the end of a sentence, where its cpuset cannot be reached from here.
tl::expected<std::optional<CpusetLocation>, std::string> find_cpuset(std::string_view cgroup,
                                                                     std::string_view mountinfo);

/// Returns where all hierarchies have the process, as far as they are mounted here. Pure.
std::vector<CpusetLocation> find_cgroups(std::string_view cgroup, std::string_view mountinfo);

/// Returns whether the name is `what` and a number, as Slurm makes them: job_12. Pure.
bool is_numbered(std::string_view name, std::string_view what);

}  // namespace drom::slurm
