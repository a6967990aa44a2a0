// SPDX-License-Identifier: BSD-3-Clause
// topology.cpp - the CPUs of cores, NUMA nodes and packages, from hwloc.
#include "command_line/topology.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <hwloc.h>

namespace drom::command {

namespace {

/// The few functions of libhwloc that are used here, found at run time.
struct Hwloc {
    decltype(&hwloc_get_api_version) get_api_version;
    decltype(&hwloc_topology_init) topology_init;
    decltype(&hwloc_topology_load) topology_load;
    decltype(&hwloc_topology_destroy) topology_destroy;
    decltype(&hwloc_get_type_depth) get_type_depth;
    decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth;
    decltype(&hwloc_get_obj_by_depth) get_obj_by_depth;
    decltype(&hwloc_bitmap_next) bitmap_next;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

Expected<Hwloc> open_hwloc() {
    // Never closed: it is wanted once per process, and it registers handlers of its own.
    void* library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return failure(DROM_E_OS,
                       fmt::format("the topology is not known: {}; install libhwloc15 or use CPU numbers", dlerror()));
    Hwloc hwloc{};
    const bool complete = find(library, "hwloc_get_api_version", hwloc.get_api_version) &&
                          find(library, "hwloc_topology_init", hwloc.topology_init) &&
                          find(library, "hwloc_topology_load", hwloc.topology_load) &&
                          find(library, "hwloc_topology_destroy", hwloc.topology_destroy) &&
                          find(library, "hwloc_get_type_depth", hwloc.get_type_depth) &&
                          find(library, "hwloc_get_nbobjs_by_depth", hwloc.get_nbobjs_by_depth) &&
                          find(library, "hwloc_get_obj_by_depth", hwloc.get_obj_by_depth) &&
                          find(library, "hwloc_bitmap_next", hwloc.bitmap_next);
    if (!complete || hwloc.get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
        return failure(DROM_E_OS, "the topology is not known: libhwloc is of another version; use CPU numbers");
    return hwloc;
}

CpuSet cpus_of_object(const Hwloc& hwloc, hwloc_obj_t object) {
    CpuSet set;
    for (int cpu = hwloc.bitmap_next(object->cpuset, -1); cpu >= 0; cpu = hwloc.bitmap_next(object->cpuset, cpu))
        set.add(static_cast<unsigned>(cpu));
    return set;
}

Domains domains_of(const Hwloc& hwloc, hwloc_topology_t topology, hwloc_obj_type_t type) {
    Domains domains;
    const int depth = hwloc.get_type_depth(topology, type);
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return domains;
    const unsigned count = hwloc.get_nbobjs_by_depth(topology, depth);
    for (unsigned i = 0; i < count; ++i)
        domains.push_back(cpus_of_object(hwloc, hwloc.get_obj_by_depth(topology, depth, i)));
    return domains;
}

}  // namespace

Expected<Topology> Topology::load() {
    const auto hwloc = open_hwloc();
    if (!hwloc) return tl::make_unexpected(hwloc.error());
    hwloc_topology_t tree = nullptr;
    if (hwloc->topology_init(&tree) != 0) return failure(DROM_E_OS, "the topology is not known: hwloc does not start");
    if (hwloc->topology_load(tree) != 0) {
        hwloc->topology_destroy(tree);
        return failure(DROM_E_OS, "the topology is not known: hwloc cannot read this machine; use CPU numbers");
    }
    Topology topology;
    topology.cores_ = domains_of(*hwloc, tree, HWLOC_OBJ_CORE);
    topology.numa_nodes_ = domains_of(*hwloc, tree, HWLOC_OBJ_NUMANODE);
    topology.packages_ = domains_of(*hwloc, tree, HWLOC_OBJ_PACKAGE);
    hwloc->topology_destroy(tree);
    return topology;
}

Expected<CpuSet> Topology::cpus_of(Unit unit, unsigned index) const {
    const bool core = unit == Unit::kCore;
    const Domains& domains = core ? cores_ : unit == Unit::kNuma ? numa_nodes_ : packages_;
    const char* name = core ? "core" : unit == Unit::kNuma ? "NUMA node" : "package";
    if (index < domains.size()) return domains[index];
    return failure(DROM_E_NOCPU, fmt::format("there is no {} {}, only {} of them", name, index, domains.size()));
}

}  // namespace drom::command
