// SPDX-License-Identifier: BSD-3-Clause
// summary_json.hpp - the numbers of a simulation as JSON, for programs.
#pragma once

#include <span>
#include <string>

#include "engine/advice_replay.hpp"
#include "engine/record_replay.hpp"
#include "engine/replayed.hpp"
#include "report/digest.hpp"
#include "report/mapping_table.hpp"
#include "workload/placement_file.hpp"

namespace drom::sim {

/// Returns summary.json: one object, a line feed at its end. Means, percentiles and shares of no jobs are null; nothing
/// is ever NaN or infinite. Without a baseline there is no `worse`. The same digest gives the same bytes: how long the
/// simulation took is not in it.
std::string summary_json(const Digest& digest);

/// Returns several simulations as an array of the same objects.
std::string summaries_json(std::span<const Digest> digests);

/// Returns a log of decisions that was told again: counts, and each decision that differs; with `all` each of them.
/// Limits that are infinite and starts that are not in sight are null.
std::string replay_json(const Replayed& replayed, bool all);

/// Counts of a record that was told again, and its first difference; null: there is none.
std::string record_json(const ReplayedRecord& replayed);

/// Counts of a journal of drom advise that was told again, rounds that were cut, and each advice that differs.
std::string journal_json(const ReplayedJournal& replayed);

/// Returns a placement: each application with its parts, each system, and the cost.
std::string placement_json(const PlacementFile& file, const policy::placement::Plan& plan);

/// Returns the partitions of each application, best first, and the map that the policy `app` takes.
std::string mapping_json(const std::vector<PartitionFile>& machine, const std::vector<MappingRow>& rows,
                         const policy::MappingWeights& weights);

}  // namespace drom::sim
