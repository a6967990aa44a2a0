// SPDX-License-Identifier: BSD-3-Clause
// series_csv.hpp - the simulation over time: series.csv in the steps of the figure of utilisation, days.csv by day.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "report/digest.hpp"

namespace drom::sim {

/// Writes series.csv: the machine and the queue, a row per step of Digest::utilisation. Errors: a finished sentence.
/// Cost: linear in the jobs.
tl::expected<void, std::string> write_series_csv(const std::string& path, const Outcome& outcome, const Digest& digest);

/// Writes days.csv: Digest::days. Errors: a finished sentence.
tl::expected<void, std::string> write_days_csv(const std::string& path, const Digest& digest);

/// Returns the columns as a table in Markdown; days_columns() those of the other file.
std::string series_columns();
std::string days_columns();

}  // namespace drom::sim
