// SPDX-License-Identifier: BSD-3-Clause
// replay_text.hpp - a log of decisions that was told again, in words, as a table, and as CSV.
//
// Columns of the CSV, a line a decision; times are seconds since the log's zero, what does not exist is an empty field:
//
//   line time                   of the log; when it was decided
//   job nodes                   that would start, and how many nodes it asks for
//   outcome                     share, or why it has to wait
//   mates cores                 shared: ids, separated by blanks, and the cores that each lends, of each of its nodes
//   limit                       what each mate's predicted slowdown has to stay below ("inf": no limit)
//   static_start                predicted start if it waits; empty: none in sight
//   end                         shared: when it ends at the latest
//   now_outcome now_mates now_cores now_limit now_end    the same as the policy decides now, or by other parameters
//   differs                     1 or 0
#pragma once

#include <span>
#include <string>

#include "engine/replayed.hpp"

namespace drom::sim {

/// "share", or why not, as jobs.csv has it.
std::string outcome_word(policy::Refusal outcome);
std::span<const policy::Refusal> outcomes_in_order();

/// Counts, and what differs: at most `max` of them, and how many more there are.
std::string replay_summary(const Replayed& replayed, std::size_t max = 20);

/// Every decision as a row of an aligned table for people.
std::string decisions_table(const Replayed& replayed);

/// Errors: a finished sentence, "drom-sim: write PATH: ...".
tl::expected<void, std::string> write_redecided_csv(const std::string& path, const Replayed& replayed);

}  // namespace drom::sim
