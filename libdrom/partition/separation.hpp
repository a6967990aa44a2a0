// SPDX-License-Identifier: BSD-3-Clause
// separation.hpp - which cores change hands so that jobs are apart: on packages of their own, else NUMA nodes, else L3
// caches. Pure.
#pragma once

#include <optional>
#include <vector>

#include "shmem/layout.hpp"

namespace drom::partition {

/// A job, in CPUs.
struct Share {
    uint32_t size;         ///< now
    uint32_t least, most;  ///< afterwards
    uint32_t useful;       ///< it has no use for more; `most` may be above, because cores move whole
};

/// CPUs that move as one or stay: those of a core, or the part of them that may move.
struct Piece {
    Place place;
    uint32_t size;
    std::vector<uint32_t> has;    ///< of each job, in CPUs; what is missing in the sum is nobody's
    std::vector<uint32_t> heirs;  ///< jobs that may get it; none: it stays
    uint64_t depth = 0;           ///< moved rather the smaller this is, then
    uint64_t position = 0;        ///< this
};

/// All CPUs of a node as pieces, in list order.
struct Separation {
    std::vector<Piece> pieces;
    std::vector<Share> jobs;
    uint32_t most_lost = UINT32_MAX;  ///< CPUs that all jobs together may lose
    bool use_all = false;             ///< pieces that nobody has are to be used rather than left
};

inline constexpr uint32_t kStays = UINT32_MAX;

/// The heir of each piece, or kStays; nothing when the jobs' bounds cannot be kept. A job either gains or loses here,
/// never both. Best is, in this order:
///  1. the least waste: CPUs beyond what is useful to a job; with use_all, CPUs left to nobody;
///  2. the fewest strangers in packages, then in NUMA nodes, then in L3s: jobs that are there besides the first, summed
///  over them;
///  3. equal shares: the largest smallest job, then the largest second smallest, and so on; counted is only what is
///  useful;
///  4. jobs together: the fewest packages, then NUMA nodes, then L3s that each job is in, summed over the jobs;
///  5. the least sum of `depth`, then of `position`, over the pieces that move.
///
/// Exact: dynamic programming over the tree of packages, NUMA nodes and L3s, whose states are how much each job gains
/// and loses there. Only where that makes more than kMostStates of them are the less promising ones left out; what is
/// found then keeps all bounds but may not be the best, and nothing may be found although `in_turn` finds something.
/// Cost: 2 jobs on 128 cores below a millisecond, 4 jobs mixed in all L3s some tens of them. Thread-safe.
std::optional<std::vector<uint32_t>> separate(const Separation& wish);
inline constexpr size_t kMostStates = 600;

/// Pieces for the job `heir` until it has its least: nobody's first, then of the largest job that may still lose one.
/// Keeps the bounds.
std::optional<std::vector<uint32_t>> in_turn(const Separation& wish, uint32_t heir);

}  // namespace drom::partition
