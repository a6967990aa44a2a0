// SPDX-License-Identifier: BSD-3-Clause
// topology.hpp - the CPUs of cores, NUMA nodes and packages, from hwloc. Administrator side only.
//
// libhwloc is opened when a set asks for it, not linked: loading it costs several milliseconds, and `drom list` has
// three.
#pragma once

#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

/// CPU sets that belong together at one level, in hwloc's logical order.
using Domains = std::vector<CpuSet>;

class Topology {
public:
    /// Loads the topology of this machine. Errors: E_OS when libhwloc is not installed or cannot read this machine.
    static Expected<Topology> load();

    [[nodiscard]] Expected<CpuSet> cpus_of(Unit unit, unsigned index) const;

private:
    Domains cores_, numa_nodes_, packages_;
};

}  // namespace drom::command
