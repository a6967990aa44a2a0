// SPDX-License-Identifier: BSD-3-Clause
// gomp.hpp - what libdrom-gomp.so needs from libdrom.so. Private: the two are built and installed together.
#pragma once

#include "ompt/gate.hpp"

extern "C" {

using drom_gomp_fn = void (*)(void*);

/// What an idle region start reads.
DROM_EXPORT extern const drom::GateView drom_gomp_view;

/// A region that runs `fn` with `threads` threads (0: as many as the runtime gives) is about to start through the runtime's entry point
/// `real` and needs a look: what has to run in its place.
DROM_EXPORT drom_gomp_fn drom_gomp_region(drom_gomp_fn fn, unsigned threads, const void* real);

/// The program opens a league of teams.
DROM_EXPORT void drom_gomp_teams(const void* real);

/// The entry point `symbol` that an object at `caller` is bound to when none is in the global search order.
DROM_EXPORT void* drom_gomp_find(const char* symbol, const void* caller);
}
