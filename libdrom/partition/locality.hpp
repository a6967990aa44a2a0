// SPDX-License-Identifier: BSD-3-Clause
// locality.hpp - chooses the cores that change hands so that jobs are apart: on packages of their own, else NUMA
// nodes, else L3 caches. Pure.
#pragma once

#include <optional>
#include <vector>

#include "shmem/layout.hpp"

namespace drom::partition {

/// A job, in CPUs.
struct Share {
    uint32_t size;                ///< now
    uint32_t min_cpus, max_cpus;  ///< afterwards
    uint32_t useful;              ///< more is of no use to it; `most` may be larger, because cores move whole
};

/// CPUs that move together or stay: those of a core, or the part of them that may move.
struct Piece {
    Place place;
    uint32_t size;
    std::vector<uint32_t> has;     ///< of each job, in CPUs; the rest is free
    std::vector<uint32_t> takers;  ///< jobs that may get it; none: it stays
    uint64_t depth = 0;            ///< of two pieces the one with the smaller depth moves; then
    uint64_t position = 0;         ///< the one with the smaller position
};

/// All CPUs of a node as pieces, in list order.
struct Packing {
    std::vector<Piece> pieces;
    std::vector<Share> jobs;
    uint32_t max_lost = UINT32_MAX;  ///< CPUs that all jobs together may lose
    bool use_all = false;            ///< free pieces are to be used rather than left
};

inline constexpr uint32_t kStays = UINT32_MAX;

/// Returns the next owner of each piece, or kStays; nothing when the jobs' bounds cannot be kept. A job either gains or
/// loses here, never both. The best result has, in this order:
///  1. the least waste: CPUs beyond those that a job can use; with use_all, free CPUs;
///  2. the fewest strangers in packages, then in NUMA nodes, then in L3s: the jobs in one besides the first, summed
///     over all;
///  3. equal shares: the largest smallest job, then the largest second smallest, and so on, counting only CPUs that a
///     job can use;
///  4. jobs together: the fewest packages, then NUMA nodes, then L3s that each job is in, summed over the jobs;
///  5. the least sum of `depth`, then of `position`, over the pieces that move.
///
/// Exact: dynamic programming over the tree of packages, NUMA nodes and L3s. A state is how much each job gains and
/// loses there. Only where there are more than kMaxStates states, the less promising ones are left out. The result
/// then keeps all bounds but may not be the best, and there may be none although `in_turn` finds one.
///
/// Cost: 2 jobs on 128 cores below a millisecond, 4 jobs mixed in all L3s some tens of milliseconds. Thread-safe.
std::optional<std::vector<uint32_t>> pack(const Packing& wish);
inline constexpr size_t kMaxStates = 600;

/// Chooses pieces for the job `taker` until it has its min: free ones first, then those of the largest job that may
/// still lose one. Keeps the bounds.
std::optional<std::vector<uint32_t>> in_turn(const Packing& wish, uint32_t taker);

}  // namespace drom::partition
