// SPDX-License-Identifier: GPL-2.0-or-later
// submission.cpp - srun, sbatch and salloc.
#include "submission.hpp"

#include "options.hpp"
#include "slurm_spank.hpp"

namespace drom::slurm {

namespace {

void tell(spank_handle* spank, const char* name, const std::string& value) {
    if (value.empty())
        spank_job_control_unsetenv(spank, name);
    else
        spank_job_control_setenv(spank, name, value.c_str(), 1);
}

}  // namespace

void announce(spank_handle* spank) {
    const Options& given = options();
    const auto& min = given.min_per_rank;
    // A declaration that was inherited from the submitting job is not for this one.
    tell(spank, "DROM_MALLEABLE", given.range && !given.off ? given.range->text() : "");
    tell(spank, "DROM_MIN_PER_RANK", min && !given.off ? std::to_string(*min) : "");
    tell(spank, "DROM_OFF", given.off ? "1" : "");
}

}  // namespace drom::slurm
