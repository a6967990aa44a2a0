// SPDX-License-Identifier: BSD-3-Clause
// jobs_csv.hpp - one line per job: jobs.csv with its numbers, decisions.csv with why it started when it did.
//
// RFC 4180 but for the ends of lines, which are single line feeds, as the tools that read tables here want them. Times
// are seconds since the log's zero. A number that does not exist (the end of a job that was still running) is an empty
// field.
//
//   id submit start end         as in the log; start and end are those of the simulation
//   wait run stretched request  wait = start - submit, run = static run time, stretched = end - start
//   nodes user malleable        malleable, killed, worse: 1 or 0
//   how                         in order, backfilled, shared
//   refusal                     why the last try to share was refused, before it started otherwise
//   mates                       shared: ids of the jobs whose nodes it joined, separated by blanks
//   lent_cores                  shared: cores that each of them gave, of each node
//   pi limit                    shared: sum of the mates' predicted slowdowns, and what each had to stay below ("inf":
//   no limit) static_start                shared: predicted start if it had waited; empty: none in sight guests how
//   often others joined its nodes killed                      at its limit slowdown slowdown_stretched bounded_slowdown
//   see metrics.hpp worse                       its slowdown is larger than under the baseline; empty without one
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "engine/outcome.hpp"

namespace drom::sim {

/// `baseline` may be null. Errors: a finished sentence, "drom-sim: write PATH: ...". Cost: about half a microsecond per
/// job.
tl::expected<void, std::string> write_jobs_csv(const std::string& path, const Outcome& outcome,
                                               const Outcome* baseline = nullptr);

/// Columns id, start, how, and a sentence for people with the numbers that led to the start. Jobs that did not start
/// are left out.
tl::expected<void, std::string> write_decisions_csv(const std::string& path, const Outcome& outcome);

/// The sentence about a job that started.
std::string decision_sentence(const JobOutcome& job, int cores_per_node);

}  // namespace drom::sim
