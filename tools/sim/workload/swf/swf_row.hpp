// SPDX-License-Identifier: BSD-3-Clause
// swf_row.hpp - one line of a log cut into fields, and where each dialect keeps what.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace drom::sim::swf {

/// The fields that a job is read from. Numbers first, then those that may be names.
enum Column : std::uint8_t {
    kId,
    kSubmit,
    kWait,
    kRun,
    kAllocated,
    kRequested,
    kRequest,
    kMemory,
    kStatus,
    kUser,
    kGroup,
    kApplication,
    kQueue,
    kPartition,
    kColumns
};
constexpr std::size_t kNumbers = kUser;

/// Returns "run time", as a sentence calls it.
const char* name_of(Column column);

struct Number {
    enum class Form : std::uint8_t { kMissing, kWhole, kFraction, kHuge, kText } form = Form::kMissing;
    std::int64_t value = -1;  ///< rounded; kHuge: the largest or smallest; else -1
};

/// Reads a number as people and scripts write it; empty is kMissing. Never fails: what is no number is kText.
Number read_number(std::string_view text);

/// Columns of a dialect, as indices of fields.
struct Dialect {
    static constexpr std::int16_t kNone = -1;
    std::array<std::int16_t, kColumns> at;
    std::array<std::int16_t, 2> allocated_times, requested_times;  ///< factors of these widths: processes, threads
    std::int16_t request_unit;                                     ///< seconds
};
const Dialect& standard_dialect();
const Dialect& sim_dialect();
const Dialect& modular_dialect();

/// A line in fields; they point into the line. One object is for many lines.
class Row {
public:
    /// Fields that are kept; more are counted.
    static constexpr std::size_t kMax = 64;

    void cut(std::string_view line);

    [[nodiscard]] std::size_t fields() const { return count_; }
    /// Returns a field without blanks around it; empty when the line has no such field, and for Dialect::kNone.
    [[nodiscard]] std::string_view field(int index) const {
        const bool there =
            index >= 0 && static_cast<std::size_t>(index) < count_ && static_cast<std::size_t>(index) < kMax;
        return there ? fields_[static_cast<std::size_t>(index)] : std::string_view();
    }
    [[nodiscard]] bool by_semicolons() const { return by_semicolons_; }

private:
    void cut_at_blanks(std::string_view line);
    void cut_at_semicolons(std::string_view line);
    void add(std::string_view field) {
        if (count_ < kMax) fields_[count_] = field;
        ++count_;
    }

    std::array<std::string_view, kMax> fields_;
    std::size_t count_ = 0;
    bool by_semicolons_ = false;
};

/// Returns the text without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

/// Returns the text in quotes for a sentence: at most 24 characters, others than printable ASCII as '.'.
std::string quoted(std::string_view text);

}  // namespace drom::sim::swf
