// SPDX-License-Identifier: BSD-3-Clause
// private.hpp - the functions of libdrom.so that libdrom-mpi.so needs. Private: both are built and installed together.
#pragma once

#include "client/client.hpp"

extern "C" {

/// The words that an idle MPI call reads.
DROM_EXPORT extern const drom::client::Hot* const drom_mpi_view;

/// Joins, unless this process has joined already, once MPI has been initialised, and records the process's rank.
/// Returns false when it is no client afterwards.
DROM_EXPORT bool drom_mpi_join();

/// Handles an MPI call of the calling thread: releases the newest request and, when this thread has a team and is
/// outside regions, resizes it. Returns the number of the newest request that further MPI calls need not look at.
DROM_EXPORT uint64_t drom_mpi_safe_point();

/// Returns the entry point `symbol` to which an object at `caller` is bound when none is in the global search order.
DROM_EXPORT void* drom_mpi_find_behind(const char* symbol, const void* caller);
}
