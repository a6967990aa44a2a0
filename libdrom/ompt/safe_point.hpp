// SPDX-License-Identifier: BSD-3-Clause
// safe_point.hpp - where an OpenMP program adopts requests: as an outermost region starts.
//
// The entry points of the runtimes (kmp_entry, gomp_entry) end here. Only one thread's team is resized, the primary
// thread's: the first one that opens an outermost region. Everybody else passes. A region that is to have fewer threads
// is told so by the argument that a num_threads clause uses: nothing that the program may ask for is changed.
// Allocation-free and lock-free but for the first call; no system call while there is no request. May be entered again
// from a signal handler that interrupted it: whoever comes second passes through.
#pragma once

#include <cstdint>

namespace drom {

namespace safe_point {

/// How a region came in.
struct Entry {
    const void* runtime;  ///< the function behind the entry point
    const void* thunk;    ///< calls place_thread() and then runs drom_gate.placing
    uint32_t door;        ///< DROM_DOOR_*
    uint32_t clause;      ///< num_threads; 0: none
    const void* caller;   ///< in the object whose region it is
};

/// How it goes on.
struct Start {
    const void* run;   ///< the region's function, or the thunk
    uint32_t threads;  ///< as a clause; 0: as many as the runtime gives
};

/// A region is about to start on the calling thread and needs a look (see gate.hpp).
Start region_entry(const void* function, const Entry& entry) noexcept;

/// The program opens a league of teams, whose sizes follow other rules: its team is never resized.
void uses_teams(const void* runtime) noexcept;

/// On each thread of a team that starts through the thunk; `index` is its number in the team.
void place_thread(uint32_t index) noexcept;

/// The same, where the runtime does not say which number the calling thread has.
void place_this_thread() noexcept;

}  // namespace safe_point

}  // namespace drom
