// SPDX-License-Identifier: BSD-3-Clause
// app_mix.hpp - which application each job of a workload is, drawn by shares.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "workload/workload.hpp"

namespace drom::sim {

/// Applications by number with their percentages; all others divide the rest evenly.
using AppMix = std::vector<std::pair<int, double>>;

/// Reads "even", or "NUMBER:PERCENT,..."; the thesis's "13", "33" and "50" are even, 8:33 and 8:50. Errors: a sentence.
tl::expected<AppMix, std::string> read_app_mix(std::string_view text);

/// Gives every job an application out of `numbers`. The draws are a sequence of their own: the same seed gives the
/// same, and changes nothing else of a workload. Errors: a sentence about an application that `numbers` lacks.
tl::expected<void, std::string> draw_applications(Workload& workload, const AppMix& mix, std::span<const int> numbers,
                                                  std::uint64_t seed);

}  // namespace drom::sim
