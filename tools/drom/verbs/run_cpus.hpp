// SPDX-License-Identifier: BSD-3-Clause
// run_cpus.hpp - which CPUs a newcomer gets. Pure: state in, decision out.
//
// Free CPUs first, near one another. CPUs still missing are taken from running malleable clients, one CPU at a time.
// Each is taken from the client that has most at that moment: the largest share gives first, as in the thesis, and no
// client goes below its minimum.
#pragma once

#include <cstdint>
#include <vector>

#include "command_line/topology.hpp"
#include "drom/drom.hpp"

namespace drom::command {

/// A running client and what it can do without.
struct Share {
    uint32_t slot = 0;
    CpuSet cpus;
    unsigned min_cpus = 1;
    bool rigid = false;
};

struct Wish {
    unsigned count = 0;
    CpuSet allowed;  ///< where the newcomer may run
    CpuSet free;
    std::vector<Share> shares;
    std::vector<Domains> levels;  ///< nearness, from narrow to wide; may be empty
    CpuSet drained = {};          ///< where it could run if they were restored
    std::string reason = {};      ///< the variable that asks for so many; empty: the command line does
};

struct Choice {
    CpuSet cpus;
    bool takes = false;  ///< some belong to other clients
};

/// Errors: E_NOCPU: so many there can never be; E_BUSY: there may be later. With what can be had. The sentence begins
/// after "drom: VERB: ".
Expected<Choice> choose_cpus(const Wish& wish);

/// The CPUs of a newcomer that named no number when nothing is free: an equal share, at least 1.
unsigned equal_share(unsigned cpus, size_t owners);

/// `count` CPUs of `pool`: near one another and near `around`, low numbers first (or high ones). Fewer when the pool is
/// smaller.
CpuSet nearest_cpus(CpuSet pool, unsigned count, const CpuSet& around, const std::vector<Domains>& levels,
                    bool high = false);

}  // namespace drom::command
