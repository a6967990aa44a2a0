// SPDX-License-Identifier: GPL-2.0-or-later
// job_submit_malleable.hpp - what the plugin functions of all series of Slurm, and those of one, have in common.
#pragma once

#include "series.hpp"

#include "common/guarded.hpp"

namespace drom::slurm {

/// Checks a comment that an administrator writes: a range in it has to be one. The range that the job declared is not
/// known here, so a comment without one is let through: the job's SPANK environment still has it. `message`: gets a
/// refusal; null: the series has no way to say why.
int modify(const job_desc_msg_t& job, char** message);

/// Says an exception in the log. Returns that the job goes on as it was submitted.
int let_through(const char* error);

}  // namespace drom::slurm
