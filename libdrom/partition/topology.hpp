// SPDX-License-Identifier: BSD-3-Clause
// topology.hpp - the CPUs of a node and which of them are near one another, as a plain value; and readers by hwloc.
//
// The value is pure and links nothing. The readers (topology_hwloc.cpp) link hwloc: administrator side only.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cpuset.hpp"
#include "drom/drom.h"
#include "shmem/layout.hpp"

namespace drom {

/// The location of each CPU of a node. Levels are nested: a core is in one L3, that in one NUMA node, that in one
/// package.
struct Topology {
    CpuSet cpus;                  ///< CPUs that exist, are online and may be used
    std::vector<uint16_t> order;  ///< all of them; those of a core are adjacent, then those of an L3, a NUMA node, a
                                  ///< package
    std::vector<Location>
        locations;  ///< by CPU number; equal numbers are the same object, counted from 0 in list order

    [[nodiscard]] const Location& location(uint32_t cpu) const noexcept { return locations[cpu]; }
};

/// Makes a topology of numbers that need not be dense nor differ between packages: sysfs's, a table's
/// (Ledger::location), hwloc's. A level that is not known (UINT16_MAX) is one object. `locations` has an entry for
/// every CPU of `cpus`. O(n log n). Thread-safe.
Topology arrange(const CpuSet& cpus, const Location* locations);

/// Reads this machine, an XML file that lstopo wrote, or hwloc's synthetic description ("package:2 numa:2 l3:1 core:6
/// pu:2").
///
/// CPUs that are offline or that this process may not use are left out. An L3 stands for the last cache that several
/// cores share; where there is none, for the NUMA node. CPUs are in one NUMA node if the same memory is local to them:
/// memory without CPUs, and several kinds of memory in one location, make no difference. Machines without packages are
/// one package. Kinds of cores are not distinguished.
///
/// Errors: DROM_E_OS (hwloc refuses; no such file), DROM_E_NOCPU (no CPU, or one beyond 4095). Cost: milliseconds.
/// Thread-safe.
int read_machine(Topology& topology, drom_error* error);
/// Reads this machine with the CPUs that this process may not use: for programs that act for the whole node from inside
/// a job's cpuset.
int read_node(Topology& topology, drom_error* error);
int read_topology_xml(const char* path, Topology& topology, drom_error* error);
int read_synthetic(const char* description, Topology& topology, drom_error* error);

}  // namespace drom
