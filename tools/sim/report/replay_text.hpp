// SPDX-License-Identifier: BSD-3-Clause
// replay_text.hpp - a log of decisions that was told again, in words, as a table, and as CSV.
//
// The columns of the CSV are in docs/user/simulator.md.
#pragma once

#include <span>
#include <string>

#include "engine/replayed.hpp"

namespace drom::sim {

/// Returns "share", or why not, as jobs.csv has it.
std::string outcome_word(policy::Refusal outcome);
std::span<const policy::Refusal> outcomes_in_order();

/// Counts, and what differs: at most `max` of them, and how many more there are.
std::string replay_summary(const Replayed& replayed, std::size_t max = 20);

/// Returns every decision as a row of an aligned table for people.
std::string decisions_table(const Replayed& replayed);

/// Writes every decision as CSV. Errors: a finished sentence, "drom-sim: write PATH: ...".
tl::expected<void, std::string> write_redecided_csv(const std::string& path, const Replayed& replayed);

/// Returns the columns of it as a table in Markdown.
std::string redecided_columns();

}  // namespace drom::sim
