// SPDX-License-Identifier: BSD-3-Clause
// topology.hpp - which CPUs a node has and which of them are near one another, as a plain value; and how hwloc tells
// it.
//
// The value is pure and links nothing. The readers are in drom_topology, which links hwloc: administrator side only.
#pragma once

#include <cstdint>
#include <vector>

#include "base/cpuset.hpp"
#include "drom/drom.h"
#include "shmem/layout.hpp"

namespace drom {

/// Where each CPU of a node is. Levels are nested: a core is in one L3, that in one NUMA node, that in one package.
struct Topology {
    CpuSet cpus;                  ///< that exist, are online and may be used
    std::vector<uint16_t> order;  ///< all of them, those of a core side by side, then of an L3, a NUMA node, a package
    std::vector<Place> places;    ///< by CPU number; equal numbers are the same object, counted from 0 in list order

    [[nodiscard]] const Place& place(uint32_t cpu) const noexcept { return places[cpu]; }
};

/// Makes a topology of numbers that need not be dense nor differ between packages: sysfs's, a table's (Ledger::place),
/// hwloc's. A level that is not known (UINT16_MAX) is one object. `places` has an entry for every CPU of `cpus`. O(n
/// log n). Thread-safe.
Topology arrange(const CpuSet& cpus, const Place* places);

/// Reads this machine, an XML file that lstopo wrote, or hwloc's synthetic description ("package:2 numa:2 l3:1 core:6
/// pu:2").
///
/// Left out are CPUs that are offline or that this process may not use. An L3 stands for the last cache that several
/// cores share; where there is none, for the NUMA node. CPUs are in one NUMA node if the same memory is local to them:
/// memory without CPUs, and several kinds of it at one place, make no difference. Machines without packages are one
/// package. Kinds of cores are not told apart. Errors: DROM_E_OS (hwloc refuses; no such file), DROM_E_NOCPU (no CPU,
/// or one beyond 4095). Cost: milliseconds. Thread-safe.
int read_machine(Topology& topology, drom_error* error);
/// The same machine with the CPUs that this process may not use: for who acts for the whole node from inside a job's
/// cpuset.
int read_node(Topology& topology, drom_error* error);
int read_topology_xml(const char* path, Topology& topology, drom_error* error);
int read_synthetic(const char* description, Topology& topology, drom_error* error);

}  // namespace drom
