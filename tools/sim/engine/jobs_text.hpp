// SPDX-License-Identifier: BSD-3-Clause
// jobs_text.hpp - the names of several jobs in a sentence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drom::sim {

/// Returns "job 1", or "jobs 1, 2 and 3".
std::string jobs_text(const std::vector<std::int64_t>& ids);

}  // namespace drom::sim
