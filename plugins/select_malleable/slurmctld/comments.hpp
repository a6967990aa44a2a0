// SPDX-License-Identifier: GPL-2.0-or-later
// comments.hpp - what users read about a job: its admin comment, and in its system comment why it waits.
#pragma once

#include "slurmctld.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "policy/job/job.hpp"

namespace drom::slurm {

/// Returns the time as Slurm writes it.
std::string clock_text(policy::Seconds at);
/// Returns the time that clock_text() wrote; none when it is none.
std::optional<policy::Seconds> read_clock(std::string_view text);

std::string_view comment_of(const job_record_t& job);
void set_comment(job_record_t& job, const std::string& text);
/// The word of a job's admin comment that tells its user what of its limit is its own: timelimit=10+1, ten minutes that
/// were asked for and one for sharing.
inline constexpr const char* kLimitWord = "timelimit";
/// Returns whether the job's system comment says why it waits instead of sharing.
bool says_why_it_waits(const job_record_t& job);
/// Writes that there: unshared=WORD, unshared_since=TIME, and unshared_by= what bounds it. Users can read it (squeue -O
/// system_comment); slurmctld saves it with the job. Nothing changes while the reason stays the same.
void say_why_it_waits(job_record_t& job, const std::string& word, const std::string& by, policy::Seconds now);
/// Takes these words out: the job starts.
void forget_why_it_waited(job_record_t& job);

}  // namespace drom::slurm
