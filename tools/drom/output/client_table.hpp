// SPDX-License-Identifier: BSD-3-Clause
// client_table.hpp - the clients of a node as lines and columns.
#pragma once

#include <string>
#include <vector>

#include "table/run_queue.hpp"
#include "table/snapshot.hpp"

namespace drom::command {

/// A column that drom list can show.
struct Column {
    const char* name;
    const char* meaning;
    std::string (*text)(const ClientView&);
};
using Columns = std::vector<const Column*>;

/// A column as its help and its completion show it.
struct ColumnText {
    std::string name;
    std::string text;
};
std::vector<ColumnText> column_texts();

/// Returns the columns with these names, or those that are shown by default. Errors: E_INVAL, and which names there
/// are.
Expected<Columns> columns_of(std::vector<std::string> names);

/// Removes the columns that say nothing about these clients.
void leave_out_silent(Columns& columns, const Snapshot& snapshot);

/// Returns one line per client, its fields separated by tabs, without a heading.
std::string raw_table(const Snapshot& snapshot, const Columns& columns);
std::string aligned_table(const Snapshot& snapshot, const Columns& columns);
/// Returns the line below the table: CPUs that are free, drained, or left by dead clients.
std::string table_foot(const Snapshot& snapshot);
/// Returns one line per program that waits for its turn, in their order; `now_s`: seconds since 1970.
std::string queue_lines(const std::vector<QueuedProgram>& queue, int64_t now_s);

}  // namespace drom::command
