// SPDX-License-Identifier: GPL-2.0-or-later
// slurm_text.hpp - texts as Slurm hands them over. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drom::slurm {

/// Returns the text; empty for a null pointer.
inline std::string_view text_of(const char* text) { return text == nullptr ? std::string_view() : text; }

/// Returns the value of an option; empty for "(null)", which is Slurm's own spelling of "no value".
inline std::string_view option_value(std::string_view value) { return value == "(null)" ? std::string_view() : value; }

/// Returns the value of a variable in a job's SPANK environment, as spank_drom.so leaves it; nothing: it is not there.
std::optional<std::string_view> declared(const char* const* environment, uint32_t size, std::string_view name);

/// Returns whether the command line of srun has --no-drom, perhaps abbreviated as getopt allows it. The arguments of
/// the program count as well. Pure.
bool says_no_drom(std::string_view command_line);

}  // namespace drom::slurm
