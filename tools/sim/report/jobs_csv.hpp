// SPDX-License-Identifier: BSD-3-Clause
// jobs_csv.hpp - one line per job: jobs.csv with its numbers, decisions.csv with why it started when it did.
//
// Times are seconds since the log's zero. The columns are in docs/user/simulator.md.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "engine/outcome.hpp"

namespace drom::sim {

/// Writes jobs.csv. `baseline` may be null. Errors: a finished sentence, "drom-sim: write PATH: ...". Cost: about half
/// a microsecond per job.
tl::expected<void, std::string> write_jobs_csv(const std::string& path, const Outcome& outcome,
                                               const Outcome* baseline = nullptr);

/// Writes decisions.csv: a sentence for people with the numbers that led to each start, and one for each run
/// that was preempted. Jobs that did not start are left out.
tl::expected<void, std::string> write_decisions_csv(const std::string& path, const Outcome& outcome);

/// Returns the columns as a table in Markdown; decisions_columns() those of the other file.
std::string jobs_columns();
std::string decisions_columns();

/// Returns the sentence about a run of a job that was preempted.
std::string preemption_sentence(const JobOutcome& job, const BusyNodes& lost);

/// Returns the sentence about a job that started.
std::string decision_sentence(const JobOutcome& job, const Setting& setting);

}  // namespace drom::sim
