// SPDX-License-Identifier: BSD-3-Clause
// in_words.cpp - the choice and the distribution of CPUs in the words of drom.h.
#include "in_words.hpp"

#include <algorithm>
#include <memory>

#include "choice.hpp"
#include "distribution.hpp"

namespace drom::partition {

namespace {

CpuSet set_of(const uint64_t* words) {
    CpuSet set{};
    std::copy_n(words, CpuSet::kWords, set.words);
    return set;
}

std::vector<Location> table_locations(const Locations& locations) {
    std::vector<Location> of_table;
    for (const drom_location& cpu : locations) of_table.push_back({cpu.core, cpu.l3, cpu.numa, cpu.package});
    return of_table;
}

}  // namespace

void choose_words(const Locations& locations, const std::vector<ClientCpus>& clients, unsigned count, unsigned may_take,
                  const uint64_t* among, const uint64_t* near, uint64_t* chosen) {
    const std::vector<Location> of_table = table_locations(locations);
    const auto question =
        std::make_unique<Occupancy>(CpuSet::range(0, static_cast<uint32_t>(of_table.size())), of_table.data());
    Occupancy& node = *question;
    for (const ClientCpus& client : clients) {
        while (node.jobs <= client.job) node.add_job();
        node.add(client.job, set_of(client.cpus), client.may_lose);
    }
    const Demand demand{.min = count, .max = count, .may_take = may_take, .among = set_of(among), .near = set_of(near)};
    const auto room = std::make_unique<ChoiceRoom>();
    std::copy_n(choose(node, demand, *room).cpus.words, CpuSet::kWords, chosen);
}

void divide_words(const Locations& locations, const uint64_t* pool, const std::vector<JobRank>& ranks, unsigned count) {
    const Topology node = arrange(set_of(pool), table_locations(locations).data());
    std::vector<Task> tasks;
    for (const JobRank& rank : ranks) tasks.push_back({set_of(rank.has), 1, rank.min_cpus, rank.max_cpus});
    const std::vector<CpuSet> masks = distribute(node, set_of(pool), tasks, count);
    for (size_t i = 0; i < ranks.size(); ++i) std::copy_n(masks[i].words, CpuSet::kWords, ranks[i].mask);
}

}  // namespace drom::partition
