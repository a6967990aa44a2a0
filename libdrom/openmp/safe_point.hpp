// SPDX-License-Identifier: BSD-3-Clause
// safe_point.hpp - an OpenMP program adopts requests here, when an outermost region starts.
//
// The entry points of the runtimes (kmp_entry, gomp_entry) end here. Only one thread's team is resized: the primary
// thread's, the first one that opens an outermost region. All other threads pass. A region gets fewer threads by the
// argument that a num_threads clause uses: no setting that the program can read changes. After the first call nothing
// here allocates or locks; it makes no system call while there is no request. A signal handler that interrupts it may
// enter it again; the second call passes.
#pragma once

#include <cstdint>

namespace drom {

namespace safe_point {

/// How a region starts.
struct Entry {
    const void* runtime;   ///< the real function
    const void* thunk;     ///< calls place_thread() and then runs drom_gate.placing
    uint32_t entry_point;  ///< DROM_ENTRY_*
    uint32_t clause;       ///< num_threads; 0: none
    const void* caller;    ///< an address in the object whose region it is
};

/// How the region continues.
struct Start {
    const void* run;   ///< the region's function, or the thunk
    uint32_t threads;  ///< as a clause; 0: as many as the runtime gives
};

/// Handles a region that is about to start on the calling thread and needs a look (see gate.hpp).
Start region_entry(const void* function, const Entry& entry) noexcept;

/// Notes that the program opens a league of teams, whose sizes follow other rules: its team is never resized.
void uses_teams(const void* runtime) noexcept;

/// Places a thread of a team that starts through the thunk; `index` is its number in the team.
void place_thread(uint32_t index) noexcept;

/// Does the same where the runtime does not tell the number of the calling thread.
void place_this_thread() noexcept;

}  // namespace safe_point

}  // namespace drom
