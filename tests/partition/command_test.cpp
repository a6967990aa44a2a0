// SPDX-License-Identifier: BSD-3-Clause
// command_test.cpp - the command and the node agent choose the same CPUs.
#include "command_answer.hpp"
#include "random_node.hpp"

namespace {

using namespace drom;
using namespace drom::test;
using partition::Arrival;
using partition::Client;

/// Returns a machine whose cores all have the same number of CPUs: the node agent moves whole cores, the command CPUs.
const Topology& even_machine() {
    static const std::vector<Topology> machines{captured("2x24"), captured("8-numa"), captured("l3-and-cluster"),
                                                captured("2x64-smt2")};
    const uint32_t last = static_cast<uint32_t>(machines.size()) - 1;
    return machines[once_in(20) ? last : any_of(0, last - 1)];
}

uint32_t threads_of(const Topology& machine) {
    const auto cores = 1U + machine.location(machine.order.back()).core;
    return machine.cpus.count() / cores;
}

/// Returns a node to which up to four jobs of one task have come, each with a min of whole cores.
Node any_jobs(const Topology& machine) {
    const uint32_t threads = threads_of(machine);
    const uint32_t jobs = any_of(1, 4);
    Node node(machine);
    for (uint64_t job = 1; job <= jobs; ++job) {
        Arrival arrival{tasks_of(job, 1), std::nullopt, 1.0};
        arrival.tasks[0].min_cpus = threads * any_of(1, 4);
        arrival.tasks[0].max_cpus = once_in(2) ? 0 : threads * any_of(4, machine.cpus.count() / threads);
        node.arrive(arrival);
        if (once_in(5)) node.end(any_of(1, static_cast<uint32_t>(job)));
    }
    return node;
}

CpuSet answer_of_command(const Node& node, uint32_t count) {
    partition::Locations locations;
    for (const Location& location : node.topology.locations)
        locations.push_back({location.core, location.l3, location.numa, location.package});
    std::vector<CommandClient> clients;
    for (const Client& client : node.clients) clients.push_back({client.mask.words, client.min_cpus});
    CpuSet chosen{};
    command_answer(locations, node.topology.cpus.words, clients, count, chosen.words);
    return chosen;
}

TEST(Command, ChoosesTheCpusThatTheNodeAgentChooses) {
    int taken = 0, refused = 0;
    EXPECT_TRUE(holds("same choice", [&] {
        const Topology& machine = even_machine();
        Node node = any_jobs(machine);
        const Node before = node;
        const uint32_t count = threads_of(machine) * any_of(1, machine.cpus.count() / threads_of(machine));
        Arrival arrival{tasks_of(9, 1, count), std::nullopt, 1.0};
        arrival.tasks[0].min_cpus = count;
        const int status = node.arrive(arrival);
        RC_ASSERT(status == DROM_OK || status == DROM_E_NOCPU);
        RC_ASSERT(answer_of_command(before, count) == cpus_of(node.clients, 9));
        refused += status == DROM_OK ? 0 : 1;
        for (const Client& client : before.clients) taken += client.mask.intersects(cpus_of(node.clients, 9)) ? 1 : 0;
    }));
    EXPECT_GT(taken, cases_a_property() / 10);
    EXPECT_GT(refused, cases_a_property() / 100);
}

}  // namespace
