// SPDX-License-Identifier: GPL-2.0-or-later
// adopted_processes.hpp - processes of a step that are not below its tasks. Some came in from outside, by ssh for
// instance, and Slurm has adopted them into the extern step of a job (pam_slurm_adopt). Others lost their parent.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace drom::slurm {

/// Returns the processes in the cgroups of an extern step, without its step daemon. `own`: what the daemon has started;
/// that tells which cgroups these are. `root` stands in front of /proc and of every mount point; tests have it
/// elsewhere. Cost: about 50 us, and 10 us per cgroup.
std::vector<pid_t> processes_of_extern_step(pid_t daemon, const std::vector<pid_t>& own, const std::string& root = {});

/// Returns the processes in the cgroups of the task's step whose parent has ended, and what is below them. They are no
/// longer below the step daemon. None where Slurm makes no cgroups, or where the daemon has ended. `root`: as above.
/// Cost: about 50 us, and 10 us per cgroup and process of the step.
std::vector<pid_t> orphans_of_step(pid_t task, const std::string& root = {});

}  // namespace drom::slurm
