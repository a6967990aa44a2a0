// SPDX-License-Identifier: BSD-3-Clause
// adoption.cpp - which request the team has adopted.
#include "adoption.hpp"

#include "client/client.hpp"
#include "drain.hpp"
#include "pinning.hpp"
#include "team.hpp"

namespace drom::safe_point {

void adopt_first() noexcept {
    const Request released = client::released();
    if (released.seq == 0 || team.adopted.seq != 0) return;
    team.adopted = released;
    team.cpus = team.first_cpus = released.mask.count();
}

void adopt() noexcept {
    Request wanted{};
    const bool fresh = client::pending() && client::newest(wanted);
    // Another thread may be releasing it at this moment: then the next region adopts it.
    if (fresh && client::released().seq < wanted.seq && !client::release(wanted)) return;
    const Request released = client::released();
    const uint32_t cpus = released.mask.count();
    if (released.seq <= team.adopted.seq || must_drain(cpus)) return;
    team.adopted = released;
    team.cpus = cpus;
    pinning::ask_for_placement();
}

}  // namespace drom::safe_point
