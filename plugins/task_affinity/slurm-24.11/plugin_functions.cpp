// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.cpp - the functions that only a task plugin of Slurm 24.11 has.
#include "slurmd.hpp"

#include "task_affinity/task_drom.hpp"

namespace task = drom::slurm::task;

extern "C" {

int task_p_pre_launch_priv(stepd_step_rec_t* job, uint32_t task, uint32_t);

// task/affinity sets here, too, what it worked out before the task was forked. Where the node agent has placed the task
// that is taken from it: the CPUs may be another job's by now. This series has no hook for a suspension.
int task_p_pre_launch_priv(stepd_step_rec_t* job, uint32_t task, uint32_t) {
    if (task::tell_of_fork(job, task)) xfree(job->task[task]->cpu_set);
    return SLURM_SUCCESS;
}

}  // extern "C"
