// SPDX-License-Identifier: BSD-3-Clause
// safe_point.hpp - where an OpenMP program adopts requests: as a region starts, as it asks for its thread count, when it says so.
//
// All doors end here: entry points of the runtimes (kmp_entry, gomp/), queries (queries.cpp), OMPT callbacks (tool.cpp), drom_poll_apply.
// Only one thread's team is resized, the primary thread's: the first one that opens an outermost region. Everybody else passes.
// Allocation-free and lock-free but for the first call; no system call while there is no request. May be entered again from a signal
// handler that interrupted it: whoever comes second passes through.
#pragma once

#include <cstdint>

namespace drom {

namespace safe_point {

/// How a region came in.
struct Entry {
    const void* runtime;  ///< the function behind the entry point
    const void* thunk;    ///< calls place_thread() and then runs drom_gate.placing
    uint32_t door;        ///< DROM_DOOR_*
    uint32_t clause;      ///< num_threads; 0: none, or said by expect_team()
};

/// A region is about to start on the calling thread and needs a look (see gate.hpp). Returns what has to run: `function`, or the thunk.
const void* region_entry(const void* function, const Entry& entry) noexcept;

/// The next region of the calling thread has a num_threads clause for more threads than there are CPUs.
void expect_team(uint32_t threads) noexcept;

/// The program opens a league of teams, whose sizes follow other rules: its team is never resized.
void uses_teams(const void* runtime) noexcept;

/// On each thread of a team that starts through the thunk; `index` is its number in the team.
void place_thread(uint32_t index) noexcept;

/// The same, where the runtime does not say which number the calling thread has.
void place_this_thread() noexcept;

/// The queries, answered as the runtime would or as the contract says. `site` is the caller, `frame` its place on the stack.
int max_threads(const void* site, const void* frame) noexcept;
int num_procs(const void* site, const void* frame) noexcept;
int num_threads(const void* site) noexcept;
void set_num_threads(int size, const void* site) noexcept;

/// True when what the program asks comes through our queries.
bool queries_are_seen() noexcept;

/// True when there is an OpenMP runtime behind our entry points, whether it has been used or not.
bool has_runtime() noexcept;

/// A good moment, and no region is about to start: the primary thread adopts the newest request if it is outside regions, and its team follows
/// as far as what the program was told allows. Nothing for other threads. At an MPI call; and where OMPT callbacks stand in for queries,
/// eager only, as a region ends, which is the earliest moment there.
void between_regions() noexcept;

/// Region starts are seen by OMPT callbacks, not by entry points.
void use_callbacks() noexcept;

/// True in the one agent of this process: there may be a second copy of the library.
bool is_only_agent() noexcept;

}  // namespace safe_point

/// drom_poll_apply: adopts the newest request as a region start would. By the primary thread, outside regions. False when nothing
/// was acknowledged: there is no OpenMP runtime, or another thread is at it.
bool apply_now() noexcept;

}  // namespace drom
