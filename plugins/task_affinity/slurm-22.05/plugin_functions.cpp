// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.cpp - the functions that only a task plugin of Slurm 22.05 has.
#include "slurmd.hpp"

#include "task_affinity/task_drom.hpp"

namespace task = drom::slurm::task;

extern "C" {

int task_p_slurmd_suspend_job(uint32_t job);
int task_p_slurmd_resume_job(uint32_t job);
int task_p_pre_set_affinity(stepd_step_rec_t*, uint32_t);
int task_p_set_affinity(stepd_step_rec_t*, uint32_t);
int task_p_post_set_affinity(stepd_step_rec_t* job, uint32_t task);

int task_p_slurmd_suspend_job(uint32_t job) {
    task::suspend(task::node_name(), job);
    return SLURM_SUCCESS;
}

int task_p_slurmd_resume_job(uint32_t job) {
    task::resume(task::node_name(), job);
    return SLURM_SUCCESS;
}

int task_p_pre_set_affinity(stepd_step_rec_t*, uint32_t) { return SLURM_SUCCESS; }
int task_p_set_affinity(stepd_step_rec_t*, uint32_t) { return SLURM_SUCCESS; }

// After whatever other plugins have set: ours counts.
int task_p_post_set_affinity(stepd_step_rec_t* job, uint32_t task) {
    task::tell_of_fork(job, task);
    return SLURM_SUCCESS;
}

}  // extern "C"
