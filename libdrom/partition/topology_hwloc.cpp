// SPDX-License-Identifier: BSD-3-Clause
// topology_hwloc.cpp - topologies by hwloc: this machine, an XML file, a synthetic description.
#include <hwloc.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "topology.hpp"

namespace drom {

namespace {

struct Destroy {
    void operator()(hwloc_topology_t tree) const { hwloc_topology_destroy(tree); }
};
using Tree = std::unique_ptr<hwloc_topology, Destroy>;

hwloc_obj_t around(hwloc_obj_t object, hwloc_obj_type_t type) {
    while (object != nullptr && object->type != type) object = object->parent;
    return object;
}

/// Returns the last cache around the PU that several cores share. Without an L3 that is a cluster's L2, as in many ARM
/// processors.
hwloc_obj_t last_shared_cache(hwloc_obj_t pu, hwloc_obj_t core) {
    hwloc_obj_t last = nullptr;
    for (hwloc_obj_t object = pu; object != nullptr; object = object->parent) {
        if (object->type == HWLOC_OBJ_L3CACHE) return object;
        const bool shared = hwloc_bitmap_weight(object->cpuset) > hwloc_bitmap_weight(core->cpuset);
        if (hwloc_obj_type_is_dcache(object->type) != 0 && shared) last = object;
    }
    return last;
}

/// Numbers things in the order in which they are met. hwloc's own logical index is not unique: with a CPU offline, one
/// core may be below its L1 cache and all others above theirs.
template <class Thing>
class Numbers {
public:
    uint16_t of(const Thing& thing) {
        return numbers_.try_emplace(thing, static_cast<uint16_t>(numbers_.size())).first->second;
    }

private:
    std::map<Thing, uint16_t> numbers_;
};

struct Counted {
    Numbers<const void*> objects;
    Numbers<std::string> memories;
};

/// Returns the whole set of local memory, not its first node: that may be the machine's first node everywhere.
std::string local_memory(hwloc_obj_t pu) {
    char* text = nullptr;
    if (hwloc_bitmap_list_asprintf(&text, pu->nodeset) < 0) return "";
    std::string nodes(text);
    free(text);
    return nodes;
}

Location location_of(hwloc_obj_t pu, Counted& counted) {
    hwloc_obj_t core = around(pu, HWLOC_OBJ_CORE);
    if (core == nullptr) core = pu;
    return {counted.objects.of(core), counted.objects.of(last_shared_cache(pu, core)),
            counted.memories.of(local_memory(pu)), counted.objects.of(around(pu, HWLOC_OBJ_PACKAGE))};
}

int read_tree(hwloc_topology_t tree, Topology& topology, drom_error* error) {
    std::vector<Location> locations(kMaxCpus);
    CpuSet cpus{};
    Counted counted;
    for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(tree, HWLOC_OBJ_PU, pu)) != nullptr;) {
        if (pu->os_index >= kMaxCpus)
            return fail(error, DROM_E_NOCPU, "CPU %u is beyond the 4096 that drom knows", pu->os_index);
        cpus.add(pu->os_index);
        locations[pu->os_index] = location_of(pu, counted);
    }
    if (cpus.none()) return fail(error, DROM_E_NOCPU, "the topology has no CPU that may be used");
    topology = arrange(cpus, locations.data());
    return DROM_OK;
}

/// Reads by hwloc; `source` tells hwloc from where. `what` begins the sentence of a refusal.
template <class Source>
int read(const Source& source, const char* what, Topology& topology, drom_error* error) {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return fail(error, DROM_E_OS, "%s: hwloc does not start", what);
    const Tree tree(raw);
    if (source(raw) != 0) return fail(error, DROM_E_OS, "%s: hwloc cannot read it: %s", what, errno_text(errno));
    if (hwloc_topology_load(raw) != 0) return fail(error, DROM_E_OS, "%s: hwloc cannot load it", what);
    return read_tree(raw, topology, error);
}

}  // namespace

int read_machine(Topology& topology, drom_error* error) {
    return read([](hwloc_topology_t) { return 0; }, "this machine's topology", topology, error);
}

int read_node(Topology& topology, drom_error* error) {
    const auto all = [](hwloc_topology_t tree) {
        return hwloc_topology_set_flags(tree, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    };
    return read(all, "this node's topology", topology, error);
}

int read_topology_xml(const char* path, Topology& topology, drom_error* error) {
    return read([path](hwloc_topology_t tree) { return hwloc_topology_set_xml(tree, path); }, path, topology, error);
}

int read_synthetic(const char* description, Topology& topology, drom_error* error) {
    return read([description](hwloc_topology_t tree) { return hwloc_topology_set_synthetic(tree, description); },
                description, topology, error);
}

}  // namespace drom
