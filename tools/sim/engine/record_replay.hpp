// SPDX-License-Identifier: BSD-3-Clause
// record_replay.hpp - a record of passes told again: a scheduler of the same policy gets the same inputs, and has to
// decide the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace drom::sim {

/// The first line of a record that is not what the policy decides.
struct RecordDifference {
    std::size_t line = 0;  ///< from 1
    std::string recorded, decided;
};

struct ReplayedRecord {
    std::string setting;  ///< the policy with its options, as the first line has it
    std::size_t lines = 0;
    std::size_t passes = 0, submits = 0, ends = 0;
    std::size_t starts = 0, resizes = 0;         ///< that the policy decides
    std::optional<std::size_t> cut;              ///< the line at which the record ends too early
    std::optional<RecordDifference> difference;  ///< no line after it was looked at
};

/// Returns true when the text begins as a record does.
bool is_record(std::string_view text);

/// Tells `text` again, up to the first difference. Errors: what is wrong with the record, as "line 12 has no job=
/// where it should be". Cost: that of the policy in the simulation.
tl::expected<ReplayedRecord, std::string> replay_record(std::string_view text);

}  // namespace drom::sim
