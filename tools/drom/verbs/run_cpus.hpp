// SPDX-License-Identifier: BSD-3-Clause
// run_cpus.hpp - which CPUs a newcomer gets. Pure: state in, decision out.
//
// Free CPUs come first, near one another. CPUs that are still missing are taken from running malleable clients, by the
// rules of partition/choice.hpp: programs stay apart, the largest loses most, and no client falls below its minimum.
#pragma once

#include <cstdint>
#include <vector>

#include "drom/drom.hpp"
#include "partition/in_words.hpp"
#include "table/snapshot.hpp"

namespace drom::command {

/// A running client and what it can do without.
struct Share {
    CpuSet cpus;
    unsigned min_cpus = 1;
    bool rigid = false;
    std::string job = {};
};

Share share_of(const ClientView& client);

/// The CPUs that a newcomer is to have, and the state of the node.
struct RunOrder {
    unsigned count = 0;
    CpuSet allowed;  ///< where the newcomer may run
    CpuSet free;
    std::vector<Share> shares;
    partition::Locations locations;
    CpuSet near = {};         ///< CPUs that it has already
    CpuSet drained = {};      ///< where it could run if they were restored
    std::string reason = {};  ///< the variable that asks for so many; empty: the command line does
    std::string around = {};  ///< the client that this process was started by, in words; empty: none
    CpuSet around_cpus = {};
};

struct Choice {
    CpuSet cpus;
    bool takes = false;  ///< some belong to other clients
};

/// Chooses CPUs. Errors: E_NOCPU (so many can never be had), E_BUSY (they may be had later). The sentence says how many
/// can be had now, and begins after "drom: VERB: ".
Expected<Choice> choose_cpus(RunOrder order);

/// Returns the number of CPUs of a newcomer that named no number when nothing is free: an equal share, at least 1.
unsigned equal_share(unsigned cpus, size_t owners);

}  // namespace drom::command
