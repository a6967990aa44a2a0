// SPDX-License-Identifier: BSD-3-Clause
// holdings.hpp - who has which CPUs of a node, by task, by job and by core: what arrivals and departures have in
// common. Pure.
#pragma once

#include <algorithm>
#include <vector>

#include "partition.hpp"
#include "separation.hpp"

namespace drom::partition {

inline constexpr uint32_t kNobody = UINT32_MAX;
inline constexpr uint32_t kNoLimit = UINT32_MAX;

/// CPUs that a task never goes below, and that it can use (kNoLimit: all).
uint32_t least_of(const Client& client);
uint32_t most_of(const Client& client);
uint32_t saturated(uint64_t sum);

/// The clients of a node, which it does not own, by job. Clients and jobs are named by their place, in order of
/// arrival. `holder` says who had a CPU when this was made, all other answers follow the clients' masks and homes.
class Holdings {
public:
    Holdings(const Topology& topology, Clients& clients);

    [[nodiscard]] const Topology& topology() const { return topology_; }
    [[nodiscard]] Clients& clients() const { return clients_; }
    [[nodiscard]] uint32_t jobs() const { return static_cast<uint32_t>(jobs_.size()); }
    [[nodiscard]] uint64_t name(uint32_t job) const { return jobs_[job]; }
    [[nodiscard]] uint32_t job_of(uint32_t client) const { return job_of_[client]; }
    [[nodiscard]] uint32_t holder(uint32_t cpu) const { return holder_[cpu]; }
    [[nodiscard]] uint32_t job_at(uint32_t cpu) const {
        return holder_[cpu] == kNobody ? kNobody : job_of_[holder_[cpu]];
    }

    /// The last that arrived, of those before `before`, whose home it is.
    [[nodiscard]] uint32_t home(uint32_t cpu, uint32_t before = kNobody) const;

    [[nodiscard]] CpuSet pool(uint32_t job) const;       ///< CPUs that its tasks have
    [[nodiscard]] CpuSet by_itself(uint32_t job) const;  ///< and those that come back to it
    [[nodiscard]] uint32_t least(uint32_t job) const;    ///< what its tasks need that are not fixed
    [[nodiscard]] uint32_t most(uint32_t job) const;     ///< what they can use
    [[nodiscard]] uint32_t spare(uint32_t job) const;    ///< what they can lose
    [[nodiscard]] uint32_t room(uint32_t job) const;     ///< what they could use besides what they have

private:
    template <class Amount>
    [[nodiscard]] uint32_t sum(uint32_t job, const Amount& amount) const;
    [[nodiscard]] uint32_t movable(uint32_t job) const;

    const Topology& topology_;
    Clients& clients_;
    std::vector<uint64_t> jobs_;
    std::vector<uint32_t> job_of_;
    std::vector<uint32_t> holder_;
};

/// CPUs of a core, in list order.
using Core = std::vector<uint32_t>;

/// Calls `each` with every core, in list order.
template <class Each>
void each_core(const Topology& topology, const Each& each) {
    for (size_t at = 0; at < topology.order.size();) {
        const uint16_t number = topology.place(topology.order[at]).core;
        Core core;
        for (; at < topology.order.size() && topology.place(topology.order[at]).core == number; ++at)
            core.push_back(topology.order[at]);
        each(core);
    }
}

inline bool any_in(const Core& core, const CpuSet& cpus) {
    return std::any_of(core.begin(), core.end(), [&](uint32_t cpu) { return cpus.has(cpu); });
}

/// Pieces, and which CPUs each is.
struct Pieces {
    std::vector<Piece> all;
    std::vector<Core> cpus;

    void add(Piece piece, Core of) {
        all.push_back(std::move(piece));
        cpus.push_back(std::move(of));
    }
    [[nodiscard]] CpuSet of(const std::vector<uint32_t>& heirs, uint32_t heir) const;
};

/// Those of these CPUs that the job `job_at(cpu)` has, which stay.
template <class JobAt>
Piece piece_of(const Topology& topology, const Core& cpus, uint32_t jobs, const JobAt& job_at) {
    Piece piece{topology.place(cpus.front()), static_cast<uint32_t>(cpus.size()), {}, {}, 0, 0};
    piece.has.assign(jobs, 0);
    for (const uint32_t cpu : cpus)
        if (const uint32_t job = job_at(cpu); job != kNobody) ++piece.has[job];
    return piece;
}

/// DROM_E_INVAL when two clients have the same CPU.
int check_disjoint(const Clients& clients, drom_error* error);

/// Makes homes agree with masks that were set in another way. A CPU is at home with the job that has it, and with no
/// later job. A CPU that no job has is at home nowhere, unless it waits for a later job on its core to end.
void correct_homes(const Topology& topology, Clients& clients);

/// The tasks of a job divide `pool`; fixed ones keep theirs.
void share_out(const Topology& topology, Clients& clients, uint64_t job, CpuSet pool);

}  // namespace drom::partition
