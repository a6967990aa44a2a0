// SPDX-License-Identifier: GPL-2.0-or-later
// task_drom.cpp - the entry points of a task plugin of Slurm 22.05.
#include "config.h"

extern "C" {
#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
// In this order: the headers below are not whole by themselves.
#include "src/common/slurm_xlator.h"

#include "src/common/env.h"
#include "src/common/hostlist.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/slurm_cred.h"
#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmd/slurmd/slurmd.h"
#include "src/slurmd/slurmstepd/slurmstepd_job.h"
}

#include "task_glue.hpp"

static_assert(SLURM_VERSION_NUM(22, 5, 0) <= SLURM_VERSION_NUMBER && SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0),
              "these are the entry points of Slurm 22.05; the structs of another series are laid out differently");

namespace {

/// The n-th of run-length encoded numbers.
uint32_t nth(uint32_t n, const uint16_t* values, const uint32_t* repeats, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (n < repeats[i]) return values[i];
        n -= repeats[i];
    }
    return 0;
}

uint32_t cpus_of_job(stepd_step_rec_t* job) {
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

}  // namespace

extern "C" {

int task_p_slurmd_suspend_job(uint32_t job);
int task_p_slurmd_resume_job(uint32_t job);
int task_p_pre_set_affinity(stepd_step_rec_t*, uint32_t);
int task_p_set_affinity(stepd_step_rec_t*, uint32_t);
int task_p_post_set_affinity(stepd_step_rec_t* job, uint32_t task);

int task_p_slurmd_suspend_job(uint32_t job) {
    task::suspend(node(), job);
    return SLURM_SUCCESS;
}

int task_p_slurmd_resume_job(uint32_t job) {
    task::resume(node(), job);
    return SLURM_SUCCESS;
}

int task_p_pre_set_affinity(stepd_step_rec_t*, uint32_t) { return SLURM_SUCCESS; }
int task_p_set_affinity(stepd_step_rec_t*, uint32_t) { return SLURM_SUCCESS; }

// After whatever other plugins have set: ours counts.
int task_p_post_set_affinity(stepd_step_rec_t* job, uint32_t task) {
    task_was_forked(job, task);
    return SLURM_SUCCESS;
}

}  // extern "C"
