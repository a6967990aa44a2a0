// SPDX-License-Identifier: BSD-3-Clause
// slurm_row.hpp - one job as a line of Slurm's accounting has it: the table of sacct, or the line of jobcomp/filetxt.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace drom::sim::slurm {

enum Field : std::uint8_t {
    kJobId,
    kSubmit,
    kStart,
    kEnd,
    kTimelimit,
    kNodes,
    kCpus,
    kState,
    kUser,
    kPartition,
    kMemory,
    kJobName,
    kQos,
    kFields
};
/// The fields before this one are needed, the others may be missing.
constexpr std::size_t kNeeded = kUser;

/// The texts of one line. They point into the line.
struct Row {
    std::array<std::string_view, kFields> texts;
    std::array<const char*, kFields> names{};  ///< as the log calls them, for sentences
    std::string_view line;

    /// Returns the first character of a field in its line, counted from 1.
    [[nodiscard]] std::size_t column(Field field) const {
        return texts[field].data() == nullptr ? 1 : static_cast<std::size_t>(texts[field].data() - line.data()) + 1;
    }
};

/// The columns that sacct prints with -P or -p, in any order and among others.
class SacctTable {
public:
    /// Reads the line of names. Errors: a sentence.
    static tl::expected<SacctTable, std::string> from(std::string_view header);

    /// Cuts the line into its fields. Errors: a sentence without its line.
    tl::expected<Row, std::string> cut(std::string_view line) const;

private:
    std::array<std::size_t, kFields> at_{};
    std::array<const char*, kFields> names_{};
    std::size_t columns_ = 0;
    bool ends_with_bar_ = false;  ///< each line, as sacct -p prints them
};

/// Returns whether jobcomp/filetxt writes such a line.
bool is_jobcomp(std::string_view line);

/// Cuts a line of jobcomp/filetxt. Errors: a sentence without its line.
tl::expected<Row, std::string> cut_jobcomp(std::string_view line);

/// Returns what people have to type for such a table.
constexpr const char* kSacct =
    "sacct -a -X -P -o JobIDRaw,Submit,Start,End,Timelimit,NNodes,NCPUS,User,Partition,State,ReqMem,JobName";

}  // namespace drom::sim::slurm
