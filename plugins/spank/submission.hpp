// SPDX-License-Identifier: GPL-2.0-or-later
// submission.hpp - srun, sbatch and salloc: announces a malleable job to the plugins that decide about it.
#pragma once

struct spank_handle;

namespace drom::slurm {

/// Sets DROM_MALLEABLE, DROM_MIN_PER_RANK, DROM_OFF in the job's SPANK environment: what slurmctld's plugins, prolog
/// and epilog see.
void announce(spank_handle* spank);

}  // namespace drom::slurm
