// SPDX-License-Identifier: GPL-2.0-or-later
// descendants.hpp - processes that a task has started: Slurm tells of the task only.
#pragma once

#include <sys/types.h>

#include <vector>

namespace drom::slurm {

struct Kinship {
    pid_t process;
    pid_t parent;
};

/// Returns all processes of this pid namespace. Cost: about 10 us per process.
std::vector<Kinship> all_processes();

/// Returns the children of `ancestor`, their children, and so on. Not those that have been left behind by a parent that
/// ended. Pure.
std::vector<pid_t> descendants_of(pid_t ancestor, const std::vector<Kinship>& processes);

}  // namespace drom::slurm
