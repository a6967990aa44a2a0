// SPDX-License-Identifier: BSD-3-Clause
// verify_records.hpp - what drom verify has found out about programs: one line per program and its libraries.
#pragma once

#include <optional>
#include <string>

#include "drom/drom.hpp"

namespace drom::command {

/// Returns whether the word is "keep", "follow", or "rigid" for a program that is right in no mode.
bool is_mode(const std::string& word);

/// Returns ${XDG_STATE_HOME:-~/.local/state}/drom/modes; empty when there is no home directory.
std::string modes_path();

std::optional<std::string> recorded_mode(const std::string& build_id);

/// Replaces the program's line. The file is written beside and renamed, so a reader sees the old one or the new one;
/// writers take turns. The sentence of an error begins after "drom: VERB: ".
Expected<std::string> record_mode(const std::string& build_id, const std::string& mode, const std::string& program);

}  // namespace drom::command
