// SPDX-License-Identifier: BSD-3-Clause
// primary.cpp - how a thread becomes the primary one.
#include "primary.hpp"

#include <pthread.h>
#include <cstdlib>

#include "adoption.hpp"
#include "client/client.hpp"
#include "gate.hpp"
#include "permission.hpp"
#include "process_setup.hpp"
#include "team.hpp"
#include "thread_count.hpp"

namespace drom::safe_point {

namespace {

/// Makes the calling thread the primary one.
void set_up_team() noexcept {
    team.start = team.size = own_threads();
    const uint32_t given = first_thread_count(getenv("OMP_NUM_THREADS"));
    team.own_number = given != 0 && given != team.start;
    adopt_first();
    team.runtime.waiting.begin(judge().follows);
    pthread_setspecific(team.key, &team);
    Page& page = client::page();
    page.start_size.store(team.start, kRelaxed);
    page.team_size.store(team.start, kRelaxed);
    drom_gate.regions.store(&page.safe_points, kRelaxed);
    drom_gate.primary.store(this_thread(), std::memory_order_release);
}

}  // namespace

bool claim(const void* function, uint32_t entry_point) noexcept {
    if (drom_gate.primary.load(kRelaxed) == this_thread()) return true;
    if (drom_gate.claimable.load(kRelaxed) == 0) return false;
    if (!set_up_process(function, entry_point) || team.runtime.level() != 0) return false;
    set_up_team();
    drom_gate.claimable.store(0, kRelaxed);
    return true;
}

}  // namespace drom::safe_point
