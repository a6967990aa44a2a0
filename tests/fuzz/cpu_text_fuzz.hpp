// SPDX-License-Identifier: BSD-3-Clause
// cpu_text_fuzz.hpp - the public interface's reader, which cannot be included beside the library's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drom::fuzz {

/// The CPUs of a text as somebody types it, on a node where unit N of any kind is CPU N. None when it is refused, which
/// is checked to be with a sentence.
std::optional<std::vector<std::uint64_t>> read_typed(const std::string& text);

}  // namespace drom::fuzz
