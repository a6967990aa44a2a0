// SPDX-License-Identifier: BSD-3-Clause
// legal_sizes.hpp - the sizes that a resizable program can run on (ReSHAPE, section 2.3). Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace drom::policy {

/// How a program's sizes follow each other.
enum class SizeLaw : std::uint8_t {
    kStep,          ///< any size: `step` more
    kPowerOfTwo,    ///< twice as many
    kNearSquare,    ///< a grid of processes: the smaller dimension grows
    kSquareOfCores  ///< a square of processes, as large as the cores of the nodes allow (Cannon's product)
};

struct LegalSizes {
    SizeLaw law = SizeLaw::kStep;
    int step = 1;
    int blocks = 0;          ///< near-square: both dimensions divide it; 0: any dimension will do
    int cores_per_node = 1;  ///< square of cores
    int min = 1;
    int max = std::numeric_limits<int>::max();

    /// Returns the legal size after `size`. Nothing when that is beyond `max`.
    std::optional<int> next(int size) const;
    /// Returns the largest legal size in [size, limit] that can be reached from `size`.
    int largest_within(int size, int limit) const;
};

}  // namespace drom::policy
