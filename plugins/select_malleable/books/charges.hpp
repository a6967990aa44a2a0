// SPDX-License-Identifier: GPL-2.0-or-later
// charges.hpp - what a job is charged: its records in slurmdbd, and the usage from which fair share and limits are
// computed. Decides nothing.
//
// slurmdbd multiplies the TRES of a record by its time, so a job whose CPUs change needs a record for each number of
// them. Slurm does the same when a job is resized: the record ends with the state RESIZING, and another begins. Its own
// functions for that would charge the time since the last PriorityCalcPeriod twice, and wait for slurmdbd under
// slurmctld's locks. slurmctld's own counts (tres_alloc_cnt) stay those of the whole job, because what limits have
// reserved follows from them; the account gets back what others had.
#pragma once

#include "select_malleable/slurmctld/jobs.hpp"

#include "select_malleable/state/shared_jobs.hpp"

namespace drom::slurm {

/// Returns the CPUs of the job's allocation, before any sharing.
std::int64_t cpus_allocated(const job_record_t& job);
/// Returns those of them that it has now.
std::int64_t cpus_held(const job_record_t& job);

/// Returns whether the job's present record has a number, and slurmctld has nothing more to say about its start.
/// Without that no other record can begin.
bool has_record(const job_record_t& job);
/// Says in slurmdbd that the present record has so many CPUs. Waits for nothing.
void say_cpus(job_record_t& job, std::int64_t cpus);
/// Ends the record `known.previous` in slurmdbd at `known.record_start`, and begins another there with the CPUs that
/// the job has now. May be repeated. Waits for nothing: a thread of its own asks for the number of the new record, in a
/// series in which slurmdbd has to be asked.
void begin_record(job_record_t& job, const SharedJob& known);
/// Returns whether the job's present record began with a resize, has no number, and is not being asked for. Then
/// slurmdbd was away, or slurmctld was killed before it had saved the answer. Slurm itself never asks again.
bool has_missed_number(const job_record_t& job);
/// Begins the present record in slurmdbd with so many CPUs, unless slurmdbd knows it. The job was resized at its start.
/// The number comes as with begin_record().
void ask_for_number(job_record_t& job, std::int64_t cpus);
/// Makes slurmctld ask anew for the number of the job's first record, if its saved state says that the number is on its
/// way: a slurmctld asked that has ended. To ask twice is no harm, because the answer is the same. The caller holds
/// slurmctld's lock on jobs for writing.
void forget_lost_request(job_record_t& job);
/// Says in slurmdbd how many CPUs a record had that slurmctld has just ended, because it resizes the job. `comment`:
/// what that record keeps as the job's admin comment.
void say_resized(job_record_t& job, std::int64_t cpus, std::string comment);
/// Says in slurmdbd what a job that has ended had: the CPUs of its last record, and its admin comment.
void say_end(job_record_t& job, std::int64_t cpus);

/// Takes CPU-seconds off the usage of the job's account, those above it and its QOS. Returns how many: there is never
/// less usage than none.
std::int64_t give_back(const job_record_t& job, std::int64_t cpu_seconds, std::int64_t whole);

}  // namespace drom::slurm
