// SPDX-License-Identifier: GPL-2.0-or-later
// slurmd.hpp - the headers of slurmd 26.05 as C++ can bear them. Include it before anything else.
#pragma once

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
#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/interfaces/cred.h"
#include "src/slurmd/slurmd/slurmd.h"
#include "src/slurmd/slurmstepd/slurmstepd_job.h"
}

static_assert(SLURM_VERSION_NUM(26, 5, 0) <= SLURM_VERSION_NUMBER &&
                  SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 11, 0),
              "these are the plugin functions of Slurm 26.05; the structs of another series are laid out differently");

#include "undefined_macros.hpp"
