// SPDX-License-Identifier: GPL-2.0-or-later
// record_numbers.cpp - begins records of jobs in Slurm 24.11, where slurmctld numbers them itself.
#include "select_malleable/books/record_numbers.hpp"

#pragma weak acct_db_conn

namespace drom::slurm {

bool number_is_on_its_way(const job_record_t&) { return false; }

void open_record(job_record_t& job) {
    if (job.db_index == 0 || job.db_index == NO_VAL64) job_record_set_sluid(&job);
    // slurmdbd adds a record that it does not know only if slurmctld has not told it of that yet.
    job.db_flags &= ~static_cast<uint32_t>(SLURMDB_JOB_FLAG_START_R);
    const uint32_t state = job.job_state;
    job.job_state |= static_cast<uint32_t>(JOB_RESIZING);
    jobacct_storage_g_job_start(acct_db_conn, &job);
    job.job_state = state;
    say_steps(job);
}

}  // namespace drom::slurm
