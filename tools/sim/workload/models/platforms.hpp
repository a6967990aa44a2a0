// SPDX-License-Identifier: BSD-3-Clause
// platforms.hpp - a workload for machines whose partitions run applications at different speeds (HPC in the cloud,
// chapter 3).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "workload/workload.hpp"

namespace drom::sim {

/// Returns the names of the presets: one per load. Cost: constant. Thread-safe.
const std::vector<std::string_view>& platforms_presets();

/// Makes jobs for three partitions of 256 cores, 7.2 s apart in the mean. Sizes are powers of two up to 256, each as
/// likely as another, and so are the applications 1 to 5. Run times are exponential, and requests are exact. The preset
/// multiplies their mean of 52 s. Numbers of jobs, cores and loads are those of the document. Its jobs are not at hand,
/// so that all laws are assumptions.
///
/// `jobs` 0: 1000. The same seed gives the same bytes everywhere. Presets of one seed differ in run times only. Returns
/// nothing when there is no such preset.
std::optional<Workload> platforms_workload(std::string_view preset, std::int64_t jobs, std::uint64_t seed);

}  // namespace drom::sim
