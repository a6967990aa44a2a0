// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.cpp - the functions that only a task plugin of Slurm 26.05 has.
#include "slurmd.hpp"

#include "task_affinity/task_drom.hpp"

namespace task = drom::slurm::task;

extern "C" {

int task_p_pre_launch_priv(stepd_step_rec_t* job, uint32_t task, uint32_t);
int task_p_update_mem_limit(stepd_step_rec_t*, uint64_t, uint64_t);

// Other plugins set affinities here, too: the one that is named last in TaskPlugin counts. This series has no hook for
// a suspension.
int task_p_pre_launch_priv(stepd_step_rec_t* job, uint32_t task, uint32_t) {
    task::tell_of_fork(job, task);
    return SLURM_SUCCESS;
}

// The memory of a running job is task/cgroup's.
int task_p_update_mem_limit(stepd_step_rec_t*, uint64_t, uint64_t) { return SLURM_SUCCESS; }

}  // extern "C"
