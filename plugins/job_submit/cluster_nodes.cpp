// SPDX-License-Identifier: GPL-2.0-or-later
// cluster_nodes.cpp - how large the nodes of each partition are.
#include "cluster_nodes.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

extern "C" {
#include <slurm/slurm.h>
#include <slurm/spank.h>
}

namespace drom::slurm {

namespace {

using Clock = std::chrono::steady_clock;
using Partitions = std::map<std::string, NodeSizes>;  // the default one as "", too

struct Known {
    std::mutex mutex;
    std::shared_ptr<const Partitions> partitions = nullptr;
    Clock::time_point asked = {};  ///< when the last answer came, or failed to
    bool asking = false;
};

/// Returns the object that is never destroyed: the thread may outlive main().
Known& known() {
    static Known& one = *new Known;
    return one;
}

template <auto Free>
struct Freed {
    template <class Message>
    void operator()(Message* message) const {
        Free(message);
    }
};
using Nodes = std::unique_ptr<node_info_msg_t, Freed<slurm_free_node_info_msg>>;
using PartitionInfo = std::unique_ptr<partition_info_msg_t, Freed<slurm_free_partition_info_msg>>;

/// Returns how many CPUs of each core jobs can have: one where slurm.conf counts cores as CPUs.
uint32_t threads_of(const node_info_t& node) {
    return node.cpus > uint32_t{node.sockets} * node.cores ? node.threads : 1;
}

void include(NodeSizes& sizes, const node_info_t& node) {
    if (node.name == nullptr || node.cpus == 0) return;
    const uint32_t cpus = node.cpus_efctv != 0 ? node.cpus_efctv : node.cpus;
    sizes.threads = std::max(sizes.threads, threads_of(node));
    sizes.smallest = sizes.smallest == 0 ? cpus : std::min(sizes.smallest, cpus);
    sizes.largest = std::max(sizes.largest, cpus);
}

NodeSizes sizes_of(const partition_info_t& partition, const node_info_msg_t& nodes) {
    NodeSizes sizes;
    // Pairs, the first and the last of a run of nodes, ended by -1.
    for (const int32_t* run = partition.node_inx; run != nullptr && run[0] >= 0; run += 2)
        for (auto i = static_cast<uint32_t>(run[0]); i <= static_cast<uint32_t>(run[1]) && i < nodes.record_count; ++i)
            include(sizes, nodes.node_array[i]);
    return sizes;
}

std::shared_ptr<const Partitions> ask() {
    node_info_msg_t* nodes = nullptr;
    if (slurm_load_node(0, &nodes, SHOW_ALL) != SLURM_SUCCESS) return nullptr;
    const Nodes freed_nodes(nodes);
    partition_info_msg_t* partitions = nullptr;
    if (slurm_load_partitions(0, &partitions, SHOW_ALL) != SLURM_SUCCESS) return nullptr;
    const PartitionInfo freed_partitions(partitions);
    auto answer = std::make_shared<Partitions>();
    for (uint32_t i = 0; i < partitions->record_count; ++i) {
        const partition_info_t& partition = partitions->partition_array[i];
        if (partition.name == nullptr) continue;
        const NodeSizes sizes = sizes_of(partition, *nodes);
        (*answer)[partition.name] = sizes;
        if ((partition.flags & PART_FLAG_DEFAULT) != 0) (*answer)[""] = sizes;
    }
    return answer;
}

void ask_and_remember() noexcept {
    std::shared_ptr<const Partitions> answer;
    try {
        answer = ask();
    } catch (const std::exception&) {  // no memory: as no answer
        answer = nullptr;
    }
    const std::lock_guard lock(known().mutex);
    if (answer != nullptr) known().partitions = std::move(answer);
    known().asked = Clock::now();
    known().asking = false;
}

/// Returns the last answer, empty when there was none at all; a new one is asked for when it is old. Null while the
/// first one is awaited.
std::shared_ptr<const Partitions> last_answer() {
    constexpr auto kOld = std::chrono::seconds(60);
    const std::lock_guard lock(known().mutex);
    const bool fresh = known().partitions != nullptr && Clock::now() - known().asked < kOld;
    if (!fresh && !known().asking) {
        std::thread(ask_and_remember).detach();
        known().asking = true;
    }
    const bool tried = known().asked != Clock::time_point{};
    return known().partitions == nullptr && tried ? std::make_shared<const Partitions>() : known().partitions;
}

}  // namespace

std::optional<NodeSizes> node_sizes(const std::string& partitions) {
    const auto answer = last_answer();
    if (answer == nullptr) return std::nullopt;
    NodeSizes sizes;
    for (size_t at = 0; at <= partitions.size();) {
        const size_t end = std::min(partitions.find(',', at), partitions.size());
        const auto found = answer->find(partitions.substr(at, end - at));
        if (found == answer->end() || found->second.largest == 0) return NodeSizes{};
        sizes.smallest =
            sizes.smallest == 0 ? found->second.smallest : std::min(sizes.smallest, found->second.smallest);
        sizes.largest = std::max(sizes.largest, found->second.largest);
        sizes.threads = std::max(sizes.threads, found->second.threads);
        at = end + 1;
    }
    return sizes;
}

}  // namespace drom::slurm
