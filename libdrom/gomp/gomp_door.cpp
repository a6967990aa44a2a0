// SPDX-License-Identifier: BSD-3-Clause
// gomp_door.cpp - the half of the libgomp door that is in libdrom.so.
#include <dlfcn.h>

#include "drom/drom.h"
#include "gomp.hpp"
#include "ompt/gate.hpp"
#include "ompt/runtime.hpp"
#include "ompt/safe_point.hpp"

using drom::drom_gate;

namespace {

/// Runs in the outlined function's place on each thread of the team. The data stays as it is: libgomp itself reads it for reductions.
void place_and_run(void* data) {
    drom::safe_point::place_this_thread();
    auto* function = reinterpret_cast<drom_gomp_fn>(reinterpret_cast<uintptr_t>(drom_gate.placing));
    function(data);
}

}  // namespace

extern "C" {

const drom::GateView drom_gomp_view{&drom::drom_gate, &drom::client::hot, drom::drom_known};

drom_gomp_fn drom_gomp_region(drom_gomp_fn fn, unsigned threads, const void* real) {
    const auto* function = reinterpret_cast<const void*>(fn);
    if (fn == place_and_run) return fn;
    const auto* thunk = reinterpret_cast<const void*>(&place_and_run);
    const void* run = drom::safe_point::region_entry(function, {real, thunk, DROM_DOOR_GOMP, threads});
    return run == thunk ? &place_and_run : fn;
}

void drom_gomp_teams(const void* real) { drom::safe_point::uses_teams(real); }

void* drom_gomp_find(const char* symbol, const void* caller) { return drom::runtime::find_behind(symbol, caller); }

}  // extern "C"
