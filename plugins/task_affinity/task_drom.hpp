// SPDX-License-Identifier: GPL-2.0-or-later
// task_drom.hpp - what the plugin functions that differ per series of Slurm share with the others. Include it behind
// slurmd.hpp of a series.
#pragma once

#include <string>

#include "task_affinity/task_hooks.hpp"

extern "C" {
// slurmd and slurmstepd both have one.
extern slurmd_conf_t* conf;
}

namespace drom::slurm::task {

std::string node_name();

/// Tells the task hooks of a task that was forked and does not run its program yet. Returns true where other plugins
/// have to leave its affinity as it is from now on.
bool tell_of_fork(stepd_step_rec_t* job, uint32_t task);

}  // namespace drom::slurm::task
