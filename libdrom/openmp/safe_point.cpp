// SPDX-License-Identifier: BSD-3-Clause
// safe_point.cpp - the place where an OpenMP program adopts requests: adopt, decide, acknowledge, place.
#include "safe_point.hpp"

#include "adoption.hpp"
#include "client/client.hpp"
#include "drain.hpp"
#include "gate.hpp"
#include "pinning.hpp"
#include "placing.hpp"
#include "primary.hpp"
#include "resize.hpp"
#include "team.hpp"

namespace drom::safe_point {

namespace {

void count(Word& word) noexcept { word.store(word.load(kRelaxed) + 1, kRelaxed); }

bool is_other_runtime(const void* function) noexcept {
    return !team.runtime.object.holds(function) && !team.runtime.is_shadowed;
}

}  // namespace

Start region_entry(const void* function, const Entry& entry) noexcept {
    const Start unchanged{function, entry.clause};
    const TeamLock lock;
    if (!lock.mine() || !claim(entry.runtime, entry.entry_point)) return unchanged;
    client::add_entry_points(entry.entry_point);
    // The team of another runtime has threads of its own, besides those of the resized team.
    if (team.runtime.level() != 0 || is_other_runtime(entry.runtime)) return unchanged;
    count(*drom_gate.regions.load(kRelaxed));
    adopt();
    const uint32_t threads = decide(entry.clause, entry.caller);
    begin_drain();
    const uint32_t size = threads != 0 ? threads : team.size;
    if (!place(size)) return {function, threads};
    drom_gate.placing = function;
    return {entry.thunk, threads};
}

void uses_teams(const void* runtime) noexcept {
    const TeamLock lock;
    if (lock.mine() && claim(runtime, 0)) team.leagues = true;
}

void place_thread(uint32_t index) noexcept { pinning::place_thread(index); }

void place_this_thread() noexcept { pinning::place_thread(static_cast<uint32_t>(team.runtime.thread_num())); }

}  // namespace drom::safe_point
