// SPDX-License-Identifier: BSD-3-Clause
// mapping_table.cpp - aligned columns, as wide as the longest name.
#include "report/mapping_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace drom::sim {
namespace {

struct Widths {
    std::size_t application = std::string_view("application").size();
    std::size_t partition = std::string_view("partition").size();
};

Widths widths_of(const std::vector<PartitionFile>& machine, const std::vector<MappingRow>& rows) {
    Widths widths;
    for (const PartitionFile& partition : machine) widths.partition = std::max(widths.partition, partition.name.size());
    for (const MappingRow& row : rows) widths.application = std::max(widths.application, row.application.size());
    return widths;
}

std::string row_text(const std::vector<PartitionFile>& machine, const MappingRow& row, const Widths& widths) {
    std::string text;
    for (const policy::Mapped& there : row.partitions)
        text += fmt::format("{:<{}}  {:<{}} {:>10.6g} {:>12.6g} {:>8.4g}\n", text.empty() ? row.application : "",
                            widths.application, machine[there.partition].name, widths.partition, there.seconds,
                            there.joules, there.score);
    return text;
}

std::string map_text(const std::vector<MappingRow>& rows) {
    std::string text;
    for (const MappingRow& row : rows)
        text += fmt::format("{}{}", text.empty() ? "app:map=" : "/", row.partitions.front().partition);
    return text + '\n';
}

}  // namespace

std::string mapping_table(const std::vector<PartitionFile>& machine, const std::vector<MappingRow>& rows) {
    const Widths widths = widths_of(machine, rows);
    std::string text = fmt::format("{:<{}}  {:<{}} {:>10} {:>12} {:>8}\n", "application", widths.application,
                                   "partition", widths.partition, "seconds", "joules", "score");
    for (const MappingRow& row : rows) text += row_text(machine, row, widths);
    return text + '\n' + map_text(rows);
}

}  // namespace drom::sim
