// SPDX-License-Identifier: BSD-3-Clause
// legal_sizes.cpp - the next size of a program.
#include "policy/job/legal_sizes.hpp"

#include <cmath>

namespace drom::policy {
namespace {

/// Returns the smaller dimension of the grid nearest to a square.
int smaller_dimension(int size) {
    int best = 1;
    for (int rows = 1; rows <= size / rows; ++rows)
        if (size % rows == 0) best = rows;
    return best;
}

/// Returns the next dimension that divides `blocks`; 0 when there is none. Each divides 0 blocks.
int next_dimension(int rows, int blocks) {
    if (blocks == 0) return rows + 1;
    for (int next = rows + 1; next <= blocks; ++next)
        if (blocks % next == 0) return next;
    return 0;
}

std::int64_t near_square(int size, int blocks) {
    const int rows = smaller_dimension(size);
    return std::int64_t{next_dimension(rows, blocks)} * (size / rows);
}

int square_side(std::int64_t cores) {
    auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(cores)));
    while (side * side > cores) --side;
    while ((side + 1) * (side + 1) <= cores) ++side;
    return static_cast<int>(side);
}

std::int64_t larger_square(int nodes, int cores_per_node) {
    const std::int64_t side = square_side(std::int64_t{nodes} * cores_per_node) + 1;
    return (side * side + cores_per_node - 1) / cores_per_node;
}

std::int64_t following(const LegalSizes& sizes, int size) {
    switch (sizes.law) {
        case SizeLaw::kStep: return std::int64_t{size} + sizes.step;
        case SizeLaw::kPowerOfTwo: return std::int64_t{2} * size;
        case SizeLaw::kNearSquare: return near_square(size, sizes.blocks);
        case SizeLaw::kSquareOfCores: return larger_square(size, sizes.cores_per_node);
    }
    return 0;
}

}  // namespace

std::optional<int> LegalSizes::next(int size) const {
    const std::int64_t next = following(*this, size);
    if (next <= size || next > max) return std::nullopt;
    return static_cast<int>(next);
}

int LegalSizes::largest_within(int size, int limit) const {
    for (std::optional<int> larger; (larger = next(size)) && *larger <= limit;) size = *larger;
    return size;
}

}  // namespace drom::policy
