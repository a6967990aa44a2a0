// SPDX-License-Identifier: BSD-3-Clause
// summary_csv.hpp - summary.csv: one row per setting, for tools that read tables.
#pragma once

#include <span>
#include <string>

#include "report/digest.hpp"

namespace drom::sim {

/// One simulation as a row.
struct SummaryRow {
    std::string setting;  ///< as it was written, with the varied parameters
    std::string folder;   ///< of its files; empty: it has none
    std::string seed;     ///< of the generated workload; empty: a log
    Digest digest;
};

/// Returns the header and a row each. Behind the columns of summary_columns() each parameter of any row has one.
std::string summary_csv(std::span<const SummaryRow> rows);

/// Returns the columns as a table in Markdown.
std::string summary_columns();

}  // namespace drom::sim
