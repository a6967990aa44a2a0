// SPDX-License-Identifier: BSD-3-Clause
// cpu_text.hpp - CPU sets as people type them, with the topology behind core:, numa: and package:.
#pragma once

#include <string_view>

#include "drom/drom.hpp"

namespace drom::command {

/// Reads a CPU set; loads the topology only when a word needs it. The sentence begins after "drom: VERB: ".
Expected<CpuSet> read_cpus(std::string_view text);

}  // namespace drom::command
