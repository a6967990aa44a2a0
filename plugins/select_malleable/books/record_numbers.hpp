// SPDX-License-Identifier: GPL-2.0-or-later
// record_numbers.hpp - begins a job's record in slurmdbd. Whether slurmdbd or slurmctld numbers it differs per
// series of Slurm.
#pragma once

#include "select_malleable/slurmctld/jobs.hpp"

namespace drom::slurm {

/// Begins the job's present record, with its CPUs in `tres_alloc_str`, and says which steps belong to it. A slurmctld
/// that numbers records keeps the record's number if it has one; otherwise slurmdbd is asked. Waits for nothing.
void open_record(job_record_t& job);
/// Returns whether slurmdbd is being asked for the number of a record of the job.
bool number_is_on_its_way(const job_record_t& job);
/// Says in slurmdbd that the job's running steps belong to its present record.
void say_steps(const job_record_t& job);

}  // namespace drom::slurm
