// SPDX-License-Identifier: BSD-3-Clause
// job.hpp - a job as the policies see it: what was asked for, never what will really happen.
#pragma once

#include <cstdint>
#include <limits>

#include "policy/job/node_set.hpp"

namespace drom::policy {

using Seconds = std::int64_t;  ///< durations, and times since an arbitrary zero
using JobId = std::int64_t;

constexpr Seconds kNever = std::numeric_limits<Seconds>::max() / 4;

/// Whether a job's size may change. Feitelson and Rudolph's words; only a malleable one shares nodes.
enum class Kind : std::uint8_t { kRigid, kMoldable, kMalleable };

/// Which nodes will do. A node qualifies when it has all the features and the memory.
struct NodeFilter {
    std::uint64_t features = 0;       ///< a bit a feature: names, architectures, networks as the caller numbers them
    std::int64_t memory_mb = 0;       ///< on each node
    bool contiguous = false;          ///< nodes numbered without a gap
    const NodeSet* within = nullptr;  ///< no others, where mates are looked for; null: all. Not owned

    friend bool operator==(const NodeFilter&, const NodeFilter&) = default;
};

struct ResizeTraits;

struct Job {
    JobId id = 0;
    Seconds submit = 0;
    Seconds request = 1;         ///< requested run time on all its cores, >= 1; what is planned with
    Seconds limit = 0;           ///< what was really requested, where the plan is a prediction; 0: request
    bool reserve_limit = false;  ///< nodes are reserved until the limit; else as long as is predicted
    /// Sharing extends the limit by as much as it does the prediction; else by the worst case of the limit itself. Of
    /// jobs that predicting() makes alone.
    bool extend_as_predicted = false;
    bool correct_to_limit = false;  ///< a prediction that is outrun becomes the limit; else it is doubled
    int nodes = 1;                  ///< whole nodes, >= 1
    int min_cores = 1;              ///< on each node: one per rank (thesis 4.5.3)
    Kind kind = Kind::kMalleable;
    int partition = -1;    ///< from 0; -1: of none that is known
    int qos = -1;          ///< number; -1: of none that is known
    int application = -1;  ///< of the energy model where there is one, else the log's; -1: of none that is known
    int user = -1;         ///< number; -1: not known
    int account = -1;      ///< number; -1: not known
    /// No guest slows it down to this or beyond: its user's own bound.
    double max_slowdown = std::numeric_limits<double>::infinity();
    NodeFilter filter;
    const ResizeTraits* resize = nullptr;  ///< how its number of nodes may change; null: not at all. Not owned
};

}  // namespace drom::policy
