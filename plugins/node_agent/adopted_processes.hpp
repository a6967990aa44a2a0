// SPDX-License-Identifier: GPL-2.0-or-later
// adopted_processes.hpp - processes that came in from outside, by ssh for instance, and that Slurm has adopted into the
// extern step of a job (pam_slurm_adopt).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace drom::slurm {

/// Returns the processes in the cgroups of an extern step, without its step daemon. `own`: what the daemon has started;
/// that tells which cgroups these are. `root` stands in front of /proc and of every mount point; tests have it
/// elsewhere. Cost: about 50 us, and 10 us per cgroup.
std::vector<pid_t> processes_of_extern_step(pid_t daemon, const std::vector<pid_t>& own, const std::string& root = {});

}  // namespace drom::slurm
