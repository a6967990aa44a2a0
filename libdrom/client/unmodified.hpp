// SPDX-License-Identifier: BSD-3-Clause
// unmodified.hpp - an unmodified program becomes a client as its environment says: DROM_*, and the variables of an MPI
// launcher.
#pragma once

#include <cstdint>

#include "base/cpuset.hpp"

namespace drom::unmodified {

struct Found {
    uint32_t entry_point;  ///< DROM_ENTRY_*
    CpuSet places;  ///< CPUs that the process may use, where its threads' affinity is smaller; empty: the calling
                    ///< thread's affinity
    bool async;     ///< start the agent's own thread, unless DROM_ASYNC says otherwise
};

/// Joins the table, and records the rank of this process in an MPI job. Ranks of a node that share one mask claim their
/// parts of it; a rank that its launcher bound claims its binding. Returns false when this process cannot be a client;
/// DROM_VERBOSE=1 says why. About 200 us; once per process.
bool join(const Found& found) noexcept;

}  // namespace drom::unmodified
