// SPDX-License-Identifier: BSD-3-Clause
// reserved.hpp - the CPUs of a process that is no client itself: a program without OpenMP and MPI, a script, a program
// that a script starts.
#pragma once

#include "client.hpp"
#include "shmem/segment.hpp"

namespace drom::client {

/// Returns the last request to the client whose reservation the environment names (DROM_SLOT); it holds for all its
/// processes. seq 0: no request so far, one without CPUs, no such client any more, or a table that cannot be opened
/// now. The first call that can opens the table and keeps it mapped, about 50 us; further calls take about 0.1 us.
/// Thread-safe; signal handlers may call it, also between vfork and exec.
Request reserved() noexcept;

/// Reads the newest request to a client that is not the calling process. An administrator may have died that wrote into
/// it. Then its mask is the affinity of the calling thread: a thread that sets its own gets no other CPU. Returns false
/// when there is no request.
bool read_latest(const Ledger& ledger, uint32_t slot, Request& posted) noexcept;

/// Returns the CPUs of the node of this reservation, by its table; none without a reservation. As reserved().
CpuSet reserved_node() noexcept;

/// Returns whether thread `tid` is one of the processes of that client. As reserved(), and about 10 us per process.
bool is_in_reservation(uint32_t tid) noexcept;

/// Writes the CPUs with which the reservation of this process began (DROM_START_CPUS), for a runtime that counts CPUs:
/// the number of threads that the program was given is for those. Returns false without a reservation, and where the
/// process has another affinity than the reservation or its requests gave it: the program has chosen it. As reserved();
/// opens the table only if there was a request.
bool start_cpus(CpuSet& start) noexcept;

}  // namespace drom::client
