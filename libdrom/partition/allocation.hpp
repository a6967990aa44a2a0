// SPDX-License-Identifier: BSD-3-Clause
// allocation.hpp - which task, job and core has which CPUs of a node: shared by arrivals and departures. Pure.
#pragma once

#include <algorithm>
#include <vector>

#include "partition.hpp"

namespace drom::partition {

inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr uint32_t kNoLimit = UINT32_MAX;

/// Returns the fewest CPUs that a task may have, or the most that it can use (kNoLimit: all).
uint32_t min_cpus_of(const Client& client);
uint32_t max_cpus_of(const Client& client);
uint32_t saturated(uint64_t sum);

/// The clients of a node, by job; the caller owns them. Clients and jobs are named by their index, in order of arrival.
/// `owner` returns the client that had a CPU when this object was made; all other answers follow the clients' present
/// masks and homes.
class Allocation {
public:
    Allocation(const Topology& topology, Clients& clients);

    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] Clients& clients() const { return clients_; }
    [[nodiscard]] uint32_t jobs() const { return static_cast<uint32_t>(jobs_.size()); }
    [[nodiscard]] uint64_t name(uint32_t job) const { return jobs_[job]; }
    [[nodiscard]] uint32_t job_of(uint32_t client) const { return job_of_[client]; }
    [[nodiscard]] uint32_t owner(uint32_t cpu) const { return owner_[cpu]; }
    [[nodiscard]] uint32_t job_at(uint32_t cpu) const { return owner_[cpu] == kNone ? kNone : job_of_[owner_[cpu]]; }

    /// Returns the latest client, of those before `before`, whose home the CPU is.
    [[nodiscard]] uint32_t home(uint32_t cpu, uint32_t before = kNone) const;

    [[nodiscard]] CpuSet pool(uint32_t job) const;        ///< CPUs that its tasks have
    [[nodiscard]] CpuSet by_itself(uint32_t job) const;   ///< those, and the CPUs that come back to it
    [[nodiscard]] uint32_t min_cpus(uint32_t job) const;  ///< the fewest CPUs of its tasks that are not fixed
    [[nodiscard]] uint32_t max_cpus(uint32_t job) const;  ///< the most that they can use
    [[nodiscard]] uint32_t spare(uint32_t job) const;     ///< the number that they can lose
    [[nodiscard]] uint32_t room(uint32_t job) const;      ///< the number that they could use besides theirs

private:
    template <class Amount>
    [[nodiscard]] uint32_t sum(uint32_t job, const Amount& amount) const;
    [[nodiscard]] uint32_t movable(uint32_t job) const;

    const Topology& topology_;
    Clients& clients_;
    std::vector<uint64_t> jobs_;
    std::vector<uint32_t> job_of_;
    std::vector<uint32_t> owner_;
};

/// CPUs of a core, in list order.
using Core = std::vector<uint32_t>;

/// Calls `each` with every core, in list order.
template <class Each>
void each_core(const Topology& topology, const Each& each) {
    for (size_t at = 0; at < topology.order.size();) {
        const uint16_t number = topology.location(topology.order[at]).core;
        Core core;
        for (; at < topology.order.size() && topology.location(topology.order[at]).core == number; ++at)
            core.push_back(topology.order[at]);
        each(core);
    }
}

inline bool any_in(const Core& core, const CpuSet& cpus) {
    return std::any_of(core.begin(), core.end(), [&](uint32_t cpu) { return cpus.has(cpu); });
}

/// Returns DROM_E_INVAL when two clients have the same CPU.
int check_disjoint(const Clients& clients, drom_error* error);

/// Makes homes agree with masks that were set in another way. A CPU is at home with its job, and with no later job. A
/// CPU that no job has is no home, unless it waits for a later job on its core to end.
void correct_homes(const Topology& topology, Clients& clients);

/// Divides `pool` among the tasks of a job; fixed ones keep theirs.
void share_out(const Topology& topology, Clients& clients, uint64_t job, CpuSet pool);

}  // namespace drom::partition
