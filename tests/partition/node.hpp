// SPDX-License-Identifier: BSD-3-Clause
// node.hpp - a node to which jobs come and from which they go, one after another.
#pragma once

#include <vector>

#include "machines.hpp"
#include "partition/partition.hpp"

namespace drom::test {

/// Makes tasks without CPUs yet; ids count from `first`.
inline partition::Clients tasks_of(uint64_t job, uint32_t count, uint32_t max_cpus = 0, uint32_t first = UINT32_MAX) {
    partition::Clients tasks;
    for (uint32_t i = 0; i < count; ++i) {
        partition::Client task{};
        task.id = (first == UINT32_MAX ? static_cast<uint32_t>(job) * 100 : first) + i;
        task.job = job;
        task.max_cpus = max_cpus;
        tasks.push_back(task);
    }
    return tasks;
}

inline CpuSet cpus_of(const partition::Clients& clients, uint64_t job) {
    CpuSet all{};
    for (const partition::Client& client : clients)
        if (client.job == job) all = all | client.mask;
    return all;
}

class Node {
public:
    explicit Node(Topology machine) : topology(std::move(machine)) {}

    int arrive(const partition::Arrival& arrival) {
        return partition::arrive(topology, clients, arrival, clients, &error);
    }
    int arrive(uint64_t job, uint32_t tasks, uint32_t max_cpus = 0) {
        return arrive({tasks_of(job, tasks, max_cpus), std::nullopt, 0.5});
    }
    int arrive_on(const char* granted, uint64_t job, uint32_t tasks, uint32_t max_cpus = 0) {
        return arrive({tasks_of(job, tasks, max_cpus), cpus(granted), 0.5});
    }
    int depart(const std::vector<uint32_t>& ids) { return partition::depart(topology, clients, ids, clients, &error); }
    int end(uint64_t job) {
        std::vector<uint32_t> ids;
        for (const partition::Client& client : clients)
            if (client.job == job) ids.push_back(client.id);
        return depart(ids);
    }

    /// Returns the masks of a job's tasks, as in "0-11 12-23".
    [[nodiscard]] std::string masks(uint64_t job) const {
        std::string all;
        for (const partition::Client& client : clients)
            if (client.job == job) all += (all.empty() ? "" : " ") + text(client.mask);
        return all;
    }
    partition::Client& client(uint32_t id) {
        for (partition::Client& c : clients)
            if (c.id == id) return c;
        ADD_FAILURE() << "no client " << id;
        return clients.front();
    }

    Topology topology;
    partition::Clients clients;
    drom_error error{};
};

}  // namespace drom::test
