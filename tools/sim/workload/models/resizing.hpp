// SPDX-License-Identifier: BSD-3-Clause
// resizing.hpp - workloads of programs whose number of nodes may change, as the documents on resizing describe them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "workload/workload.hpp"

namespace drom::sim {

struct ResizingPreset {
    const char* name;
    const char* text;  ///< one sentence without its full stop
};

std::span<const ResizingPreset> resizing_presets();

/// Returns the workload of a preset; nothing when there is none of that name. `jobs` 0: as many as the preset has. The
/// same seed gives the same jobs.
std::optional<Workload> resizing_workload(std::string_view preset, std::int64_t jobs, std::uint64_t seed);

/// Returns the workload with only a share of its programs resizable, and a share of them platinum.
Workload with_shares(Workload workload, double resizable, double platinum, std::uint64_t seed);

}  // namespace drom::sim
