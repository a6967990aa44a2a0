// SPDX-License-Identifier: GPL-2.0-or-later
// nodes.cpp - reads slurmctld's records of nodes.
#include "nodes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/slurm_text.hpp"

namespace drom::slurm {

using policy::NodeSet;

NodeSet node_set(const bitstr_t* nodes) {
    NodeSet set;
    bitstr_t* bits = const_cast<bitstr_t*>(nodes);
    if (bits == nullptr) return set;
    const int last = static_cast<int>(bit_fls(bits));
    for (int node = static_cast<int>(bit_ffs(bits)); node >= 0 && node <= last;) {
        int end = node;
        while (end < last && bit_test(bits, end + 1)) ++end;
        set.insert({node, end - node + 1});
        node = end + 1;
        while (node <= last && !bit_test(bits, node)) ++node;
    }
    return set;
}

void assign(bitstr_t* nodes, const NodeSet& set) {
    bit_nclear(nodes, 0, bit_size(nodes) - 1);
    for (const policy::NodeRange& range : set.ranges()) bit_nset(nodes, range.first, range.last);
}

void erase_unavailable(bitstr_t* nodes) {
    for (int node = 0; node < node_record_count && node < bit_size(nodes); ++node) {
        const node_record_t* record = node_record_table_ptr[node];
        const bool starts_jobs = record != nullptr && !IS_NODE_DOWN(record) && !IS_NODE_DRAIN(record) &&
                                 !IS_NODE_FAIL(record) && !IS_NODE_NO_RESPOND(record);
        if (!starts_jobs) bit_clear(nodes, node);
    }
}

int cores_for_jobs(const node_record_t& node) { return node.tot_cores - node.core_spec_cnt; }

namespace {

/// Returns those that slurmd takes for CoreSpecCount, before a node has said which: the last core of each socket, or
/// the first, then the next ones.
std::vector<bool> chosen_by_slurmd(const node_record_t& node) {
    const bool first = text_of(slurm_conf.sched_params).find("spec_cores_first") != std::string_view::npos;
    std::vector<bool> specialised(node.tot_cores);
    for (int n = 0; n < std::min<int>(node.core_spec_cnt, node.tot_cores); ++n) {
        const int core = (n % node.tot_sockets) * node.cores + n / node.tot_sockets;
        specialised[static_cast<std::size_t>(first ? core : node.tot_cores - 1 - core)] = true;
    }
    return specialised;
}

}  // namespace

std::vector<bool> specialised_cores(const node_record_t& node) {
    if (node.node_spec_bitmap == nullptr) return chosen_by_slurmd(node);
    std::vector<bool> specialised(node.tot_cores);
    for (int core = 0; core < node.tot_cores && core < bit_size(node.node_spec_bitmap); ++core)
        specialised[static_cast<std::size_t>(core)] = !bit_test(node.node_spec_bitmap, core);
    return specialised;
}

bool memory_is_a_resource() { return (slurm_conf.select_type_param & CR_MEMORY) != 0; }

namespace {

/// Returns the memory of the node that jobs can have, in MB.
std::int64_t memory_for_jobs(const node_record_t& node) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(node.real_memory) - static_cast<std::int64_t>(node.mem_spec_limit));
}

}  // namespace

std::vector<policy::Pool> pools() {
    std::map<std::pair<int, int>, std::map<std::int64_t, NodeSet>> alike;
    for (int node = 0; node < node_record_count; ++node) {
        const node_record_t* record = node_record_table_ptr[node];
        if (record == nullptr || cores_for_jobs(*record) <= 0) continue;
        const std::int64_t memory = memory_is_a_resource() ? memory_for_jobs(*record) : 0;
        alike[{cores_for_jobs(*record), record->tpc}][memory].insert({node, 1});
    }
    std::vector<policy::Pool> pools;
    pools.reserve(alike.size());
    for (const auto& [size, by_memory] : alike) {
        policy::Pool& pool = pools.emplace_back(policy::Pool{size.first, {}});
        for (const auto& [memory, nodes] : by_memory) {
            pool.nodes.insert(nodes);
            if (memory != 0) pool.memory.push_back({memory, nodes});
        }
    }
    return pools;
}

}  // namespace drom::slurm
