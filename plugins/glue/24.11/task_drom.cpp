// SPDX-License-Identifier: GPL-2.0-or-later
// task_drom.cpp - the entry points of a task plugin of Slurm 24.11.
#include "config.h"

extern "C" {
#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
// In this order: the headers below are not whole by themselves.
#include "src/common/slurm_xlator.h"

#include "src/common/env.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/interfaces/cred.h"
#include "src/slurmd/slurmd/slurmd.h"
#include "src/slurmd/slurmstepd/slurmstepd_job.h"
}

#include "task_glue.hpp"

static_assert(SLURM_VERSION_NUM(24, 11, 0) <= SLURM_VERSION_NUMBER &&
                  SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0),
              "these are the entry points of Slurm 24.11; the structs of another series are laid out differently");

namespace {

// Nothing shrinks jobs in this series' controller.
uint32_t cpus_of_job(stepd_step_rec_t*) { return 0; }

}  // namespace

extern "C" {

int task_p_pre_launch_priv(stepd_step_rec_t* job, uint32_t task, uint32_t);

// Where other plugins set affinities, too: who is named last in TaskPlugin counts. This series tells nobody of a suspension.
int task_p_pre_launch_priv(stepd_step_rec_t* job, uint32_t task, uint32_t) {
    task_was_forked(job, task);
    return SLURM_SUCCESS;
}

}  // extern "C"
