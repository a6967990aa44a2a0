// SPDX-License-Identifier: BSD-3-Clause
// reserved.hpp - the CPUs of a process that is no client itself: a program without OpenMP and MPI, a script, a program
// that a script starts.
#pragma once

#include "client.hpp"

namespace drom::client {

/// The last request to the client whose reservation the environment names (DROM_SLOT), which holds for each of its
/// processes. seq 0: nothing so far, or there is no such client any more. The first call opens the table and keeps it
/// mapped, about 50 us; each further one takes about 0.1 us. Thread-safe; may be called by signal handlers and between
/// vfork and exec.
Wanted reserved() noexcept;

/// The CPUs of the node that this reservation is on, by its table; none without one. As reserved().
CpuSet reserved_node() noexcept;

}  // namespace drom::client
