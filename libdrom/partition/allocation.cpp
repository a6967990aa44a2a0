// SPDX-License-Identifier: BSD-3-Clause
// allocation.cpp - which task, job and core has which CPUs of a node.
#include "allocation.hpp"

#include "base/error.hpp"
#include "distribution.hpp"

namespace drom::partition {

uint32_t min_cpus_of(const Client& client) { return std::max({1U, client.ranks, client.min_cpus}); }
uint32_t max_cpus_of(const Client& client) {
    return client.max_cpus == 0 ? kNoLimit : std::max(client.max_cpus, min_cpus_of(client));
}
uint32_t saturated(uint64_t sum) { return static_cast<uint32_t>(std::min<uint64_t>(sum, kNoLimit)); }

Allocation::Allocation(const Topology& topology, Clients& clients)
    : topology_(topology), clients_(clients), owner_(kMaxCpus, kNone) {
    for (uint32_t i = 0; i < clients.size(); ++i) {
        const auto known = std::find(jobs_.begin(), jobs_.end(), clients[i].job);
        job_of_.push_back(static_cast<uint32_t>(known - jobs_.begin()));
        if (known == jobs_.end()) jobs_.push_back(clients[i].job);
        const CpuSet mask = clients[i].mask & topology.cpus;
        for (uint32_t cpu = mask.first(); cpu < kMaxCpus; cpu = mask.next(cpu + 1)) owner_[cpu] = i;
    }
}

uint32_t Allocation::home(uint32_t cpu, uint32_t before) const {
    for (size_t i = std::min<size_t>(before, clients_.size()); i-- > 0;)
        if (clients_[i].home.has(cpu)) return static_cast<uint32_t>(i);
    return kNone;
}

/// Sums over the tasks that are not fixed.
template <class Amount>
uint32_t Allocation::sum(uint32_t job, const Amount& amount) const {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < clients_.size(); ++i)
        if (job_of_[i] == job && !clients_[i].fixed) sum += amount(clients_[i]);
    return saturated(sum);
}

uint32_t Allocation::movable(uint32_t job) const {
    return sum(job, [&](const Client& client) { return (client.mask & topology_.cpus).count(); });
}
uint32_t Allocation::min_cpus(uint32_t job) const { return sum(job, min_cpus_of); }
uint32_t Allocation::max_cpus(uint32_t job) const { return sum(job, max_cpus_of); }
uint32_t Allocation::spare(uint32_t job) const {
    const uint32_t has = movable(job);
    return has > min_cpus(job) ? has - min_cpus(job) : 0;
}
uint32_t Allocation::room(uint32_t job) const {
    const uint32_t has = movable(job);
    return max_cpus(job) > has ? max_cpus(job) - has : 0;
}

CpuSet Allocation::pool(uint32_t job) const {
    CpuSet pool{};
    for (uint32_t i = 0; i < clients_.size(); ++i)
        if (job_of_[i] == job) pool = pool | (clients_[i].mask & topology_.cpus);
    return pool;
}
CpuSet Allocation::by_itself(uint32_t job) const {
    CpuSet all = pool(job);
    for (uint32_t i = 0; i < clients_.size(); ++i)
        if (job_of_[i] == job) all = all | (clients_[i].home & topology_.cpus);
    return all;
}

int check_disjoint(const Clients& clients, drom_error* error) {
    CpuSet seen{};
    for (const Client& client : clients) {
        const CpuSet twice = client.mask & seen;
        if (!twice.none())
            return fail(error, DROM_E_INVAL,
                        "CPU %u is in the masks of two clients, of which one is %u; give it to one of them",
                        twice.first(), client.id);
        seen = seen | client.mask;
    }
    return DROM_OK;
}

void correct_homes(const Topology& topology, Clients& clients) {
    const Allocation node(topology, clients);
    const auto correct_home = [&](uint32_t cpu, const Core& core) {
        const uint32_t owner = node.owner(cpu);
        const uint32_t home = node.home(cpu);
        const uint32_t at_home = home == kNone ? kNone : node.job_of(home);
        if (owner == kNone) {
            const auto waits = [&](uint32_t other) {
                return node.owner(other) != kNone && node.job_at(other) > at_home;
            };
            if (home != kNone && std::none_of(core.begin(), core.end(), waits))
                for (Client& client : clients) client.home.remove(cpu);
        } else if (at_home != node.job_of(owner)) {
            bool known = false;
            for (uint32_t i = 0; i < clients.size(); ++i) {
                if (node.job_of(i) > node.job_of(owner)) clients[i].home.remove(cpu);
                known = known || (node.job_of(i) == node.job_of(owner) && clients[i].home.has(cpu));
            }
            if (!known) clients[owner].home.add(cpu);
        }
    };
    each_core(topology, [&](const Core& core) {
        for (const uint32_t cpu : core) correct_home(cpu, core);
    });
}

void share_out(const Topology& topology, Clients& clients, uint64_t job, CpuSet pool) {
    std::vector<Client*> clients_of_job;
    std::vector<Task> tasks;
    CpuSet seen{};  // homes from the caller may intersect
    for (Client& client : clients) {
        if (client.job != job) continue;
        if (client.fixed) {
            pool = pool - client.mask;
            continue;
        }
        clients_of_job.push_back(&client);
        tasks.push_back({client.home - seen, std::max(1U, client.ranks), min_cpus_of(client), max_cpus_of(client)});
        seen = seen | client.home;
    }
    const std::vector<CpuSet> masks = distribute(topology, pool, tasks);
    for (size_t i = 0; i < masks.size(); ++i) clients_of_job[i]->mask = masks[i];
}

}  // namespace drom::partition
