// SPDX-License-Identifier: BSD-3-Clause
// pils.hpp - the work of pils and pils_mpi: pieces that only compute.
#pragma once

#include <cstdint>

/// A round: so many pieces of work of so many thousand operations.
struct Load {
    int tasks = 64;
    int work = 200;
    int rounds = 50;
};

/// Computes dependent operations: each needs the one before, so no compiler and no processor takes a short cut.
inline std::uint64_t piece_of_work(std::uint64_t seed, std::int64_t operations) {
    std::uint64_t state = seed * 2 + 1;
    for (std::int64_t i = 0; i < operations; ++i) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
    }
    return state;
}

/// Computes the pieces `first` to `last` of a round; threads take them as they become free.
inline std::uint64_t part_of_round(const Load& load, int round, int first, int last) {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int task = first; task < last; ++task)
        sum += piece_of_work(static_cast<std::uint64_t>(round) * 1'000'003 + static_cast<std::uint64_t>(task),
                             std::int64_t{1000} * load.work);
    return sum;
}
