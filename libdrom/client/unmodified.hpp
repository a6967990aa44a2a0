// SPDX-License-Identifier: BSD-3-Clause
// unmodified.hpp - an unmodified program becomes a client as its environment says: DROM_*, and what an MPI launcher
// tells its ranks.
#pragma once

#include <cstdint>

#include "base/cpuset.hpp"

namespace drom::agent {

struct Found {
    uint32_t door;  ///< DROM_DOOR_*
    CpuSet places;  ///< what the process may use, where its threads' affinity says less; empty: the calling thread's
                    ///< affinity
    bool async;     ///< start the agent's own thread, unless DROM_ASYNC says otherwise
};

/// Joins the table, and says which rank of an MPI job this process is. Ranks of a node that share one mask claim their
/// parts of it; one that its launcher bound claims what it is bound to. False when this process cannot be a client;
/// DROM_VERBOSE=1 says why. About 200 us; once a process.
bool join(const Found& found) noexcept;

}  // namespace drom::agent
