// SPDX-License-Identifier: BSD-3-Clause
// command_answer.cpp - what `drom run --ncpus` would choose.
#include "command_answer.hpp"

#include "verbs/run_cpus.hpp"

namespace drom::test {

void command_answer(const partition::Locations& locations, const uint64_t* node,
                    const std::vector<CommandClient>& clients, unsigned count, uint64_t* chosen) {
    command::RunOrder order;
    order.count = count;
    order.allowed = order.free = CpuSet::from_words(node, CpuSet::kWords);
    order.locations = locations;
    for (const CommandClient& client : clients) {
        order.shares.push_back({CpuSet::from_words(client.cpus, CpuSet::kWords), client.min_cpus});
        order.free = order.free - order.shares.back().cpus;
    }
    const auto choice = command::choose_cpus(order);
    const CpuSet cpus = choice ? choice->cpus : CpuSet{};
    std::copy_n(cpus.words(), CpuSet::kWords, chosen);
}

}  // namespace drom::test
