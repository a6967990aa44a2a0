// SPDX-License-Identifier: BSD-3-Clause
// mpi.hpp - what libdrom-mpi.so needs from libdrom.so. Private: the two are built and installed together.
#pragma once

#include "client/client.hpp"

extern "C" {

/// The words that an idle MPI call reads.
DROM_EXPORT extern const drom::client::Hot* const drom_mpi_view;

/// MPI has been initialised: this process joins, if it has not, and says which rank it is. False when it is no client
/// afterwards.
DROM_EXPORT bool drom_mpi_join();

/// An MPI call, entered by the calling thread: releases what is asked for and, when this thread has a team and is
/// outside regions, resizes it. The number of the newest request that MPI calls need not look at any more.
DROM_EXPORT uint64_t drom_mpi_safe_point();

/// The entry point `symbol` that an object at `caller` is bound to when none is in the global search order.
DROM_EXPORT void* drom_mpi_find_behind(const char* symbol, const void* caller);
}
