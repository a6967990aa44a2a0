// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.cpp - the functions that only a task plugin of Slurm 22.05 has.
#include "slurmd.hpp"

#include "task_affinity/task_drom.hpp"

namespace drom::slurm {
namespace {

/// Returns the n-th of run-length encoded numbers.
uint32_t nth(uint32_t n, const uint16_t* values, const uint32_t* repeats, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (n < repeats[i]) return values[i];
        n -= repeats[i];
    }
    return 0;
}

}  // namespace

uint32_t task::cpus_of_job(stepd_step_rec_t* job) {
    if (job->batch) return job->cpus;
    if (job->msg == nullptr || job->msg->cred == nullptr) return 0;
    const slurm_cred_arg_t* granted = slurm_cred_get_args(job->msg->cred);
    hostlist_t nodes = hostlist_create(granted->job_hostlist);
    const int here = nodes == nullptr ? -1 : hostlist_find(nodes, conf->node_name);
    if (nodes != nullptr) hostlist_destroy(nodes);
    const uint32_t cpus = here < 0 ? 0
                                   : nth(static_cast<uint32_t>(here), granted->cpu_array, granted->cpu_array_reps,
                                         granted->cpu_array_count);
    slurm_cred_unlock_args(job->msg->cred);
    return cpus;
}

}  // namespace drom::slurm

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
