// SPDX-License-Identifier: GPL-2.0-or-later
// process_tree.hpp - processes that a task has started, as they are at one moment: Slurm tells of the task only. A
// client's descendants are found by shmem/descendants.hpp of libdrom. That needs the client's slot, follows processes
// whose parent has ended, and repeats until none is missed.
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

/// Returns the children of `ancestor`, their children, and so on. Processes whose parent has ended are not found. Pure.
std::vector<pid_t> below(pid_t ancestor, const std::vector<Kinship>& processes);

}  // namespace drom::slurm
