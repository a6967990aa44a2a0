// SPDX-License-Identifier: BSD-3-Clause
// regions.hpp - the regions of this process: parts of the program with a name, and what happened while each was open.
//
// Nothing here waits, locks or allocates. Any thread may be stopped at any point without effect on the others, and a
// signal handler may interrupt each function and call it.
#pragma once

#include <cstdint>

#include "shmem/regions.hpp"

namespace drom::client::regions {

/// Implements drom_region_begin.
int begin(const char* name) noexcept;
/// Implements drom_region_end.
int end(const char* name) noexcept;

/// Reads a region of this process, complete. Returns DROM_E_INVAL for a wrong name, DROM_E_NOPROC for one that never
/// began, and DROM_E_BUSY when other threads changed the region at each look.
int figures_of(const char* name, RegionFigures& figures) noexcept;

/// Notes that the mask of this process has this many CPUs from now on. One thread at a time: the one that releases or
/// joins.
void note_cpus(uint32_t count) noexcept;

/// Publishes all regions that began before the process joined, and from now on each change.
void publish_all() noexcept;

/// Publishes nothing more. A thread that began to do so earlier may still write into the page.
void stop_publishing() noexcept;

/// Returns whether no thread writes into a page of the time before stop_publishing(). Gives threads that do so a moment
/// to end; one that is stopped there, or is interrupted by the caller, does not.
bool none_publishes() noexcept;

/// Forgets the regions and the CPUs of the parent.
void after_fork_in_child() noexcept;

}  // namespace drom::client::regions
