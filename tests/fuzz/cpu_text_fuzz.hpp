// SPDX-License-Identifier: BSD-3-Clause
// cpu_text_fuzz.hpp - the public interface's reader, which cannot be included beside the library's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drom::fuzz {

/// Returns the CPUs of a text as a user types it, on a node where unit N of any kind is CPU N. Returns none if the text
/// is refused, and then checks that a sentence says why.
std::optional<std::vector<std::uint64_t>> read_typed(const std::string& text);

}  // namespace drom::fuzz
