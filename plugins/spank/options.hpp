// SPDX-License-Identifier: GPL-2.0-or-later
// options.hpp - what --malleable, --drom-min-per-rank, --drom-resize and --no-drom said in this process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/malleable_range.hpp"

struct spank_handle;

namespace drom::slurm {

struct Options {
    std::optional<MalleableRange> range;   ///< the job is malleable
    std::optional<uint32_t> min_per_rank;  ///< CPUs that each rank keeps
    std::optional<std::string> resize;     ///< keep, follow or auto; nothing: as the job's environment says
    bool off = false;                      ///< --no-drom

    [[nodiscard]] bool malleable() const { return range.has_value() && !off; }
};

/// Returns the options. A process serves one job or one step: srun, sbatch and salloc before it, slurmstepd on its
/// node.
const Options& options();

/// Makes them known to srun, sbatch, salloc and slurmstepd. On a node a bad value counts as not given: it was refused
/// at submission, and no job fails for it.
void register_options(spank_handle* spank);

}  // namespace drom::slurm
