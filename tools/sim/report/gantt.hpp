// SPDX-License-Identifier: BSD-3-Clause
// gantt.hpp - which job had which cores of which nodes when, as rectangles of a chart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/outcome.hpp"

namespace drom::sim {

/// [from, to); empty: nothing was chosen.
struct Window {
    Seconds from = 0, to = 0;

    bool empty() const noexcept { return from >= to; }
    friend bool operator==(const Window&, const Window&) = default;
};

/// A job that is seen in the window.
struct GanttJob {
    std::int64_t id = 0;
    int nodes = 1;
    bool guest = false;  ///< it started on nodes of others
    bool host = false;   ///< others started on its nodes
    Seconds start = 0;
    Seconds end = -1;  ///< -1: it was still running when the simulation was stopped
};

/// Nodes that have rows of their own.
struct GanttPartition {
    std::string name;  ///< empty: the machine has no other
    int nodes = 0, cores_per_node = 1;
};

/// Cores of one job on each node of a tile.
struct Portion {
    std::size_t job = 0;  ///< index into Gantt::jobs
    int cores = 0;

    friend bool operator==(const Portion&, const Portion&) = default;
};

/// Adjacent nodes with the same jobs for a while; the job that was there first comes first.
struct Tile {
    std::size_t partition = 0;
    int first = 0, last = 0;  ///< nodes of the partition, inclusive
    Seconds from = 0, to = 0;
    std::vector<Portion> portions;
};

struct Gantt {
    Window window;
    Window asked;  ///< larger than `window` where the chart would have had too many rectangles to be read
    std::vector<GanttPartition> partitions;  ///< at least one
    std::vector<GanttJob> jobs;              ///< in the order of the workload
    std::vector<Tile> tiles;                 ///< by partition, first node, then time

    bool empty() const noexcept { return tiles.empty(); }
};

/// Ranges of nodes beyond which the window is cut.
constexpr std::size_t kMaxRanges = 6000;

/// Returns the chart of Outcome::stretches; `window` empty: all of them. Cost: the stretches times the ranges of nodes
/// that they split each other into.
Gantt gantt(const Outcome& outcome, Window window = {});

}  // namespace drom::sim
