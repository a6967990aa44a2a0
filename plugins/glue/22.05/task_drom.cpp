// SPDX-License-Identifier: GPL-2.0-or-later
// task_drom.cpp - the entry points of a task plugin of Slurm 22.05.
#include "config.h"

extern "C" {
#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
// In this order: the headers below are not whole by themselves.
#include "src/common/slurm_xlator.h"

#include "src/common/env.h"
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
